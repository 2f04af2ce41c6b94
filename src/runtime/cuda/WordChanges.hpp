// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_CUDA_WORDCHANGES_HPP
#define SYMM_CUDA_WORDCHANGES_HPP

namespace symm::Impl {

/// PTX of symm_change_words(), made from WordChanges.cu as described there.
inline constexpr char const* word_changes_ptx = R"ptx(
.version 7.0
.target sm_70
.address_size 64
.visible .entry symm_change_words(
 .param .u64 symm_change_words_param_0
)
.maxntid 128, 1, 1
{
 .reg .pred %p<98>;
 .reg .b16 %rs<10>;
 .reg .f32 %f<16>;
 .reg .b32 %r<54>;
 .reg .f64 %fd<16>;
 .reg .b64 %rd<115>;
 ld.param.u64 %rd46, [symm_change_words_param_0];
 cvta.to.global.u64 %rd49, %rd46;
 mov.u32 %r26, %tid.x;
 and.b32 %r27, %r26, 31;
 add.s64 %rd1, %rd49, 32;
 cvt.u64.u32 %rd2, %r27;
 mov.u64 %rd109, 0;
 cvt.u32.u64 %r28, %rd2;
 mov.u64 %rd110, %rd109;
 bra.uni $L__BB0_1;
$L__BB0_153:
 membar.sys;
 mov.u64 %rd104, 0;
 st.volatile.global.u64 [%rd49+40], %rd104;
 shr.u64 %rd105, %rd68, 40;
 shr.u64 %rd106, %rd68, 32;
 and.b64 %rd107, %rd106, 255;
 bfi.b64 %rd103, %rd105, %rd107, 8, 56;
 ld.global.u64 %rd108, [%rd49+16];
 cvta.to.global.u64 %rd102, %rd108;
 st.release.sys.global.u64 [%rd102], %rd103;
$L__BB0_1:
 setp.ne.s32 %p1, %r28, 0;
 @%p1 bra $L__BB0_6;
 bra.uni $L__BB0_2;
$L__BB0_6:
 mov.b64 {%r30,%r31}, %rd109;
 mov.u32 %r38, 31;
 mov.u32 %r39, 0;
 mov.u32 %r40, -1;
 shfl.sync.idx.b32 %r33|%p6, %r31, %r39, %r38, %r40;
 shfl.sync.idx.b32 %r32|%p7, %r30, %r39, %r38, %r40;
 mov.b64 %rd68, {%r32,%r33};
 mov.b64 {%r34,%r35}, %rd110;
 shfl.sync.idx.b32 %r37|%p8, %r35, %r39, %r38, %r40;
 shfl.sync.idx.b32 %r36|%p9, %r34, %r39, %r38, %r40;
 mov.b64 %rd70, {%r36,%r37};
 setp.eq.s64 %p10, %rd70, -1;
 @%p10 bra $L__BB0_154;
 shl.b64 %rd71, %rd70, 5;
 or.b64 %rd17, %rd71, %rd2;
 and.b64 %rd72, %rd68, 65535;
 setp.ge.u64 %p11, %rd17, %rd72;
 @%p11 bra $L__BB0_151;
 ld.global.u64 %rd79, [%rd49];
 shr.u64 %rd80, %rd68, 16;
 and.b64 %rd81, %rd80, 65535;
 add.s64 %rd18, %rd17, %rd81;
 cvta.to.global.u64 %rd19, %rd79;
 shl.b64 %rd82, %rd18, 5;
 add.s64 %rd74, %rd19, %rd82;
 ld.relaxed.sys.global.u64 %rd73, [%rd74];
 and.b64 %rd20, %rd73, 281474976710655;
 shr.u64 %rd83, %rd73, 56;
 cvt.u16.u64 %rs1, %rd83;
 add.s64 %rd76, %rd74, 8;
 ld.relaxed.sys.global.u64 %rd114, [%rd76];
 add.s64 %rd78, %rd74, 16;
 ld.relaxed.sys.global.u64 %rd77, [%rd78];
 shr.u64 %rd84, %rd73, 48;
 cvt.u16.u64 %rs3, %rd84;
 and.b16 %rs2, %rs3, 255;
 setp.gt.s16 %p12, %rs2, 1;
 @%p12 bra $L__BB0_15;
 bra.uni $L__BB0_9;
$L__BB0_15:
 setp.eq.s16 %p13, %rs2, 2;
 @%p13 bra $L__BB0_64;
 setp.eq.s16 %p14, %rs2, 3;
 @%p14 bra $L__BB0_41;
 setp.ne.s16 %p15, %rs2, 4;
 @%p15 bra $L__BB0_129;
 setp.gt.s16 %p18, %rs1, 4;
 @%p18 bra $L__BB0_27;
 setp.gt.s16 %p25, %rs1, 1;
 @%p25 bra $L__BB0_23;
 bra.uni $L__BB0_20;
$L__BB0_23:
 setp.eq.s16 %p26, %rs1, 2;
 @%p26 bra $L__BB0_39;
 setp.eq.s16 %p27, %rs1, 3;
 @%p27 bra $L__BB0_38;
 setp.eq.s16 %p28, %rs1, 4;
 @%p28 bra $L__BB0_26;
 bra.uni $L__BB0_150;
$L__BB0_26:
 atom.sys.add.u64 %rd114, [%rd20], %rd114;
 bra.uni $L__BB0_150;
$L__BB0_2:
 ld.global.u64 %rd54, [%rd49+8];
 cvta.to.global.u64 %rd51, %rd54;
 ld.acquire.sys.global.u64 %rd109, [%rd51];
 ld.relaxed.sys.global.u64 %rd111, [%rd1];
 shr.u64 %rd55, %rd109, 32;
 shl.b64 %rd8, %rd55, 16;
 cvt.u32.u64 %r1, %rd55;
 and.b64 %rd56, %rd109, 65535;
 add.s64 %rd57, %rd56, 31;
 shr.u64 %rd9, %rd57, 5;
$L__BB0_3:
 shr.u64 %rd59, %rd111, 16;
 cvt.u32.u64 %r2, %rd59;
 sub.s32 %r29, %r1, %r2;
 setp.lt.s32 %p2, %r29, 0;
 mov.u64 %rd110, -1;
 @%p2 bra $L__BB0_6;
 setp.eq.s32 %p3, %r1, %r2;
 and.b64 %rd61, %rd111, 65535;
 selp.b64 %rd11, %rd61, 0, %p3;
 setp.ge.u64 %p4, %rd11, %rd9;
 @%p4 bra $L__BB0_6;
 add.s64 %rd62, %rd11, 1;
 and.b64 %rd63, %rd62, 130816;
 or.b64 %rd64, %rd63, %rd8;
 and.b64 %rd65, %rd62, 255;
 or.b64 %rd66, %rd64, %rd65;
 atom.global.sys.cas.b64 %rd12, [%rd1], %rd111, %rd66;
 setp.ne.s64 %p5, %rd12, %rd111;
 mov.u64 %rd111, %rd12;
 mov.u64 %rd110, %rd11;
 @%p5 bra $L__BB0_3;
 bra.uni $L__BB0_6;
$L__BB0_9:
 setp.eq.s16 %p16, %rs2, 0;
 @%p16 bra $L__BB0_105;
 setp.eq.s16 %p17, %rs2, 1;
 @%p17 bra $L__BB0_11;
 bra.uni $L__BB0_129;
$L__BB0_11:
 cvt.u32.u64 %r52, %rd114;
 setp.gt.s16 %p57, %rs1, 4;
 @%p57 bra $L__BB0_91;
 setp.gt.s16 %p64, %rs1, 1;
 @%p64 bra $L__BB0_87;
 bra.uni $L__BB0_13;
$L__BB0_87:
 setp.eq.s16 %p65, %rs1, 2;
 @%p65 bra $L__BB0_103;
 setp.eq.s16 %p66, %rs1, 3;
 @%p66 bra $L__BB0_102;
 setp.eq.s16 %p67, %rs1, 4;
 @%p67 bra $L__BB0_90;
 bra.uni $L__BB0_104;
$L__BB0_90:
 atom.sys.add.u32 %r52, [%rd20], %r52;
 bra.uni $L__BB0_104;
$L__BB0_64:
 cvt.u32.u64 %r3, %rd114;
 mov.b32 %f1, %r3;
 setp.gt.s16 %p44, %rs1, 2;
 @%p44 bra $L__BB0_69;
 bra.uni $L__BB0_65;
$L__BB0_69:
 setp.gt.s16 %p45, %rs1, 4;
 @%p45 bra $L__BB0_73;
 setp.eq.s16 %p48, %rs1, 3;
 @%p48 bra $L__BB0_81;
 setp.eq.s16 %p49, %rs1, 4;
 mov.f32 %f15, %f1;
 @%p49 bra $L__BB0_72;
 bra.uni $L__BB0_84;
$L__BB0_72:
 atom.sys.add.f32 %f15, [%rd20], %f1;
 bra.uni $L__BB0_84;
$L__BB0_41:
 setp.gt.s16 %p31, %rs1, 4;
 @%p31 bra $L__BB0_50;
 setp.gt.s16 %p38, %rs1, 1;
 @%p38 bra $L__BB0_46;
 bra.uni $L__BB0_43;
$L__BB0_46:
 setp.eq.s16 %p39, %rs1, 2;
 @%p39 bra $L__BB0_62;
 setp.eq.s16 %p40, %rs1, 3;
 @%p40 bra $L__BB0_61;
 setp.eq.s16 %p41, %rs1, 4;
 @%p41 bra $L__BB0_49;
 bra.uni $L__BB0_150;
$L__BB0_49:
 atom.sys.add.u64 %rd114, [%rd20], %rd114;
 bra.uni $L__BB0_150;
$L__BB0_105:
 cvt.u32.u64 %r53, %rd114;
 setp.gt.s16 %p70, %rs1, 4;
 @%p70 bra $L__BB0_114;
 setp.gt.s16 %p77, %rs1, 1;
 @%p77 bra $L__BB0_110;
 bra.uni $L__BB0_107;
$L__BB0_110:
 setp.eq.s16 %p78, %rs1, 2;
 @%p78 bra $L__BB0_126;
 setp.eq.s16 %p79, %rs1, 3;
 @%p79 bra $L__BB0_125;
 setp.eq.s16 %p80, %rs1, 4;
 @%p80 bra $L__BB0_113;
 bra.uni $L__BB0_128;
$L__BB0_113:
 atom.sys.add.u32 %r53, [%rd20], %r53;
 bra.uni $L__BB0_128;
$L__BB0_129:
 mov.b64 %fd1, %rd114;
 setp.gt.s16 %p83, %rs1, 2;
 @%p83 bra $L__BB0_134;
 bra.uni $L__BB0_130;
$L__BB0_134:
 setp.gt.s16 %p84, %rs1, 4;
 @%p84 bra $L__BB0_138;
 setp.eq.s16 %p87, %rs1, 3;
 @%p87 bra $L__BB0_146;
 setp.eq.s16 %p88, %rs1, 4;
 mov.f64 %fd15, %fd1;
 @%p88 bra $L__BB0_137;
 bra.uni $L__BB0_149;
$L__BB0_137:
 atom.sys.add.f64 %fd15, [%rd20], %fd1;
 bra.uni $L__BB0_149;
$L__BB0_50:
 setp.gt.s16 %p32, %rs1, 6;
 @%p32 bra $L__BB0_54;
 bra.uni $L__BB0_51;
$L__BB0_54:
 setp.eq.s16 %p33, %rs1, 7;
 @%p33 bra $L__BB0_59;
 setp.eq.s16 %p34, %rs1, 8;
 @%p34 bra $L__BB0_58;
 setp.ne.s16 %p35, %rs1, 9;
 @%p35 bra $L__BB0_150;
 atom.sys.xor.b64 %rd114, [%rd20], %rd114;
 bra.uni $L__BB0_150;
$L__BB0_27:
 setp.gt.s16 %p19, %rs1, 6;
 @%p19 bra $L__BB0_31;
 bra.uni $L__BB0_28;
$L__BB0_31:
 setp.eq.s16 %p20, %rs1, 7;
 @%p20 bra $L__BB0_36;
 setp.eq.s16 %p21, %rs1, 8;
 @%p21 bra $L__BB0_35;
 setp.ne.s16 %p22, %rs1, 9;
 @%p22 bra $L__BB0_150;
 atom.sys.xor.b64 %rd114, [%rd20], %rd114;
 bra.uni $L__BB0_150;
$L__BB0_91:
 setp.gt.s16 %p58, %rs1, 6;
 @%p58 bra $L__BB0_95;
 bra.uni $L__BB0_92;
$L__BB0_95:
 setp.eq.s16 %p59, %rs1, 7;
 @%p59 bra $L__BB0_100;
 setp.eq.s16 %p60, %rs1, 8;
 @%p60 bra $L__BB0_99;
 setp.ne.s16 %p61, %rs1, 9;
 @%p61 bra $L__BB0_104;
 atom.sys.xor.b32 %r52, [%rd20], %r52;
 bra.uni $L__BB0_104;
$L__BB0_114:
 setp.gt.s16 %p71, %rs1, 6;
 @%p71 bra $L__BB0_118;
 bra.uni $L__BB0_115;
$L__BB0_118:
 setp.eq.s16 %p72, %rs1, 7;
 @%p72 bra $L__BB0_123;
 setp.eq.s16 %p73, %rs1, 8;
 @%p73 bra $L__BB0_122;
 setp.ne.s16 %p74, %rs1, 9;
 @%p74 bra $L__BB0_128;
 atom.sys.xor.b32 %r53, [%rd20], %r53;
 bra.uni $L__BB0_128;
$L__BB0_65:
 setp.eq.s16 %p50, %rs1, 0;
 @%p50 bra $L__BB0_83;
 setp.eq.s16 %p51, %rs1, 1;
 @%p51 bra $L__BB0_82;
 setp.eq.s16 %p52, %rs1, 2;
 mov.f32 %f15, %f1;
 @%p52 bra $L__BB0_68;
 bra.uni $L__BB0_84;
$L__BB0_68:
 atom.sys.exch.b32 %r47, [%rd20], %r3;
 mov.b32 %f15, %r47;
 bra.uni $L__BB0_84;
$L__BB0_130:
 setp.eq.s16 %p89, %rs1, 0;
 @%p89 bra $L__BB0_148;
 setp.eq.s16 %p90, %rs1, 1;
 @%p90 bra $L__BB0_147;
 setp.eq.s16 %p91, %rs1, 2;
 mov.f64 %fd15, %fd1;
 @%p91 bra $L__BB0_133;
 bra.uni $L__BB0_149;
$L__BB0_133:
 atom.sys.exch.b64 %rd90, [%rd20], %rd114;
 mov.b64 %fd15, %rd90;
 bra.uni $L__BB0_149;
$L__BB0_73:
 setp.eq.s16 %p46, %rs1, 5;
 @%p46 bra $L__BB0_78;
 setp.ne.s16 %p47, %rs1, 6;
 mov.f32 %f15, %f1;
 @%p47 bra $L__BB0_84;
 ld.volatile.f32 %f15, [%rd20];
$L__BB0_76:
 setp.geu.f32 %p53, %f15, %f1;
 @%p53 bra $L__BB0_84;
 mov.b32 %r41, %f15;
 atom.sys.cas.b32 %r42, [%rd20], %r41, %r3;
 mov.b32 %f15, %r42;
 setp.eq.s32 %p54, %r42, %r41;
 @%p54 bra $L__BB0_84;
 bra.uni $L__BB0_76;
$L__BB0_138:
 setp.eq.s16 %p85, %rs1, 5;
 @%p85 bra $L__BB0_143;
 setp.ne.s16 %p86, %rs1, 6;
 mov.f64 %fd15, %fd1;
 @%p86 bra $L__BB0_149;
 ld.volatile.f64 %fd15, [%rd20];
$L__BB0_141:
 setp.geu.f64 %p92, %fd15, %fd1;
 @%p92 bra $L__BB0_149;
 mov.b64 %rd85, %fd15;
 atom.sys.cas.b64 %rd86, [%rd20], %rd85, %rd114;
 mov.b64 %fd15, %rd86;
 setp.eq.s64 %p93, %rd86, %rd85;
 @%p93 bra $L__BB0_149;
 bra.uni $L__BB0_141;
$L__BB0_43:
 setp.eq.s16 %p42, %rs1, 0;
 @%p42 bra $L__BB0_63;
 setp.eq.s16 %p43, %rs1, 1;
 @%p43 bra $L__BB0_45;
 bra.uni $L__BB0_150;
$L__BB0_45:
 st.volatile.u64 [%rd20], %rd114;
 bra.uni $L__BB0_150;
$L__BB0_51:
 setp.eq.s16 %p36, %rs1, 5;
 @%p36 bra $L__BB0_60;
 setp.eq.s16 %p37, %rs1, 6;
 @%p37 bra $L__BB0_53;
 bra.uni $L__BB0_150;
$L__BB0_53:
 atom.sys.max.s64 %rd114, [%rd20], %rd114;
 bra.uni $L__BB0_150;
$L__BB0_20:
 setp.eq.s16 %p29, %rs1, 0;
 @%p29 bra $L__BB0_40;
 setp.eq.s16 %p30, %rs1, 1;
 @%p30 bra $L__BB0_22;
 bra.uni $L__BB0_150;
$L__BB0_22:
 st.volatile.u64 [%rd20], %rd114;
 bra.uni $L__BB0_150;
$L__BB0_13:
 setp.eq.s16 %p68, %rs1, 0;
 @%p68 bra $L__BB0_14;
 setp.eq.s16 %p69, %rs1, 1;
 @%p69 bra $L__BB0_86;
 bra.uni $L__BB0_104;
$L__BB0_86:
 st.volatile.u32 [%rd20], %r52;
 bra.uni $L__BB0_104;
$L__BB0_107:
 setp.eq.s16 %p81, %rs1, 0;
 @%p81 bra $L__BB0_127;
 setp.eq.s16 %p82, %rs1, 1;
 @%p82 bra $L__BB0_109;
 bra.uni $L__BB0_128;
$L__BB0_109:
 st.volatile.u32 [%rd20], %r53;
 bra.uni $L__BB0_128;
$L__BB0_28:
 setp.eq.s16 %p23, %rs1, 5;
 @%p23 bra $L__BB0_37;
 setp.eq.s16 %p24, %rs1, 6;
 @%p24 bra $L__BB0_30;
 bra.uni $L__BB0_150;
$L__BB0_30:
 atom.sys.max.u64 %rd114, [%rd20], %rd114;
 bra.uni $L__BB0_150;
$L__BB0_92:
 setp.eq.s16 %p62, %rs1, 5;
 @%p62 bra $L__BB0_101;
 setp.eq.s16 %p63, %rs1, 6;
 @%p63 bra $L__BB0_94;
 bra.uni $L__BB0_104;
$L__BB0_94:
 atom.sys.max.u32 %r52, [%rd20], %r52;
 bra.uni $L__BB0_104;
$L__BB0_115:
 setp.eq.s16 %p75, %rs1, 5;
 @%p75 bra $L__BB0_124;
 setp.eq.s16 %p76, %rs1, 6;
 @%p76 bra $L__BB0_117;
 bra.uni $L__BB0_128;
$L__BB0_117:
 atom.sys.max.s32 %r53, [%rd20], %r53;
 bra.uni $L__BB0_128;
$L__BB0_81:
 cvt.u32.u64 %r45, %rd77;
 atom.sys.cas.b32 %r46, [%rd20], %r45, %r3;
 mov.b32 %f15, %r46;
 bra.uni $L__BB0_84;
$L__BB0_83:
 ld.volatile.f32 %f15, [%rd20];
 bra.uni $L__BB0_84;
$L__BB0_78:
 ld.volatile.f32 %f15, [%rd20];
$L__BB0_79:
 setp.leu.f32 %p55, %f15, %f1;
 @%p55 bra $L__BB0_84;
 mov.b32 %r43, %f15;
 atom.sys.cas.b32 %r44, [%rd20], %r43, %r3;
 mov.b32 %f15, %r44;
 setp.eq.s32 %p56, %r44, %r43;
 @%p56 bra $L__BB0_84;
 bra.uni $L__BB0_79;
$L__BB0_146:
 atom.sys.cas.b64 %rd89, [%rd20], %rd77, %rd114;
 mov.b64 %fd15, %rd89;
 bra.uni $L__BB0_149;
$L__BB0_82:
 st.volatile.f32 [%rd20], %f1;
 mov.f32 %f15, %f1;
$L__BB0_84:
 mov.b32 %r48, %f15;
 cvt.u64.u32 %rd114, %r48;
 bra.uni $L__BB0_150;
$L__BB0_148:
 ld.volatile.f64 %fd15, [%rd20];
 bra.uni $L__BB0_149;
$L__BB0_147:
 st.volatile.f64 [%rd20], %fd1;
 mov.f64 %fd15, %fd1;
 bra.uni $L__BB0_149;
$L__BB0_143:
 ld.volatile.f64 %fd15, [%rd20];
$L__BB0_144:
 setp.leu.f64 %p94, %fd15, %fd1;
 @%p94 bra $L__BB0_149;
 mov.b64 %rd87, %fd15;
 atom.sys.cas.b64 %rd88, [%rd20], %rd87, %rd114;
 mov.b64 %fd15, %rd88;
 setp.eq.s64 %p95, %rd88, %rd87;
 @%p95 bra $L__BB0_149;
 bra.uni $L__BB0_144;
$L__BB0_149:
 mov.b64 %rd114, %fd15;
 bra.uni $L__BB0_150;
$L__BB0_39:
 atom.sys.exch.b64 %rd114, [%rd20], %rd114;
 bra.uni $L__BB0_150;
$L__BB0_38:
 atom.sys.cas.b64 %rd114, [%rd20], %rd77, %rd114;
 bra.uni $L__BB0_150;
$L__BB0_103:
 atom.sys.exch.b32 %r52, [%rd20], %r52;
 bra.uni $L__BB0_104;
$L__BB0_102:
 cvt.u32.u64 %r49, %rd77;
 atom.sys.cas.b32 %r52, [%rd20], %r49, %r52;
 bra.uni $L__BB0_104;
$L__BB0_62:
 atom.sys.exch.b64 %rd114, [%rd20], %rd114;
 bra.uni $L__BB0_150;
$L__BB0_61:
 atom.sys.cas.b64 %rd114, [%rd20], %rd77, %rd114;
 bra.uni $L__BB0_150;
$L__BB0_126:
 atom.sys.exch.b32 %r53, [%rd20], %r53;
 bra.uni $L__BB0_128;
$L__BB0_125:
 cvt.u32.u64 %r50, %rd77;
 atom.sys.cas.b32 %r53, [%rd20], %r50, %r53;
 bra.uni $L__BB0_128;
$L__BB0_59:
 atom.sys.and.b64 %rd114, [%rd20], %rd114;
 bra.uni $L__BB0_150;
$L__BB0_58:
 atom.sys.or.b64 %rd114, [%rd20], %rd114;
 bra.uni $L__BB0_150;
$L__BB0_36:
 atom.sys.and.b64 %rd114, [%rd20], %rd114;
 bra.uni $L__BB0_150;
$L__BB0_35:
 atom.sys.or.b64 %rd114, [%rd20], %rd114;
 bra.uni $L__BB0_150;
$L__BB0_100:
 atom.sys.and.b32 %r52, [%rd20], %r52;
 bra.uni $L__BB0_104;
$L__BB0_99:
 atom.sys.or.b32 %r52, [%rd20], %r52;
 bra.uni $L__BB0_104;
$L__BB0_123:
 atom.sys.and.b32 %r53, [%rd20], %r53;
 bra.uni $L__BB0_128;
$L__BB0_122:
 atom.sys.or.b32 %r53, [%rd20], %r53;
 bra.uni $L__BB0_128;
$L__BB0_63:
 ld.volatile.u64 %rd114, [%rd20];
 bra.uni $L__BB0_150;
$L__BB0_60:
 atom.sys.min.s64 %rd114, [%rd20], %rd114;
 bra.uni $L__BB0_150;
$L__BB0_40:
 ld.volatile.u64 %rd114, [%rd20];
 bra.uni $L__BB0_150;
$L__BB0_14:
 ld.volatile.u32 %r52, [%rd20];
 bra.uni $L__BB0_104;
$L__BB0_127:
 ld.volatile.u32 %r53, [%rd20];
 bra.uni $L__BB0_128;
$L__BB0_37:
 atom.sys.min.u64 %rd114, [%rd20], %rd114;
 bra.uni $L__BB0_150;
$L__BB0_101:
 atom.sys.min.u32 %r52, [%rd20], %r52;
$L__BB0_104:
 cvt.u64.u32 %rd114, %r52;
 bra.uni $L__BB0_150;
$L__BB0_124:
 atom.sys.min.s32 %r53, [%rd20], %r53;
$L__BB0_128:
 cvt.u64.u32 %rd114, %r53;
$L__BB0_150:
 add.s64 %rd91, %rd74, 24;
 st.relaxed.sys.global.u64 [%rd91], %rd114;
$L__BB0_151:
 bar.warp.sync -1;
 @%p1 bra $L__BB0_1;
 membar.sys;
 add.s64 %rd96, %rd49, 40;
 atom.global.sys.add.u64 %rd97, [%rd96], 1;
 add.s64 %rd98, %rd97, 1;
 add.s64 %rd100, %rd72, 31;
 shr.u64 %rd101, %rd100, 5;
 setp.ne.s64 %p97, %rd98, %rd101;
 @%p97 bra $L__BB0_1;
 bra.uni $L__BB0_153;
$L__BB0_154:
 ret;
}
)ptx";

}  // namespace symm::Impl

#endif
