// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// SPDX-FileCopyrightText: Copyright Contributors to the Kokkos SymmetricSpace project
#ifndef SYMM_CUDA_WORDCHANGES_HPP
#define SYMM_CUDA_WORDCHANGES_HPP

namespace symm::Impl {

/// The PTX of symm_change_words(), generated from WordChanges.cu as described
/// there.
inline constexpr char const* word_changes_ptx = R"ptx(
.version 7.0
.target sm_70
.address_size 64
.visible .entry symm_change_words(
 .param .u64 symm_change_words_param_0,
 .param .u64 symm_change_words_param_1
)
.maxntid 128, 1, 1
{
 .reg .pred %p<95>;
 .reg .b16 %rs<10>;
 .reg .f32 %f<16>;
 .reg .b32 %r<42>;
 .reg .f64 %fd<16>;
 .reg .b64 %rd<107>;
 .shared .align 8 .u64 _ZZ17symm_change_wordsE5parts_$_0;
 .shared .align 8 .u64 _ZZ17symm_change_wordsE5parts_$_1;
 ld.param.u64 %rd48, [symm_change_words_param_0];
 ld.param.u64 %rd49, [symm_change_words_param_1];
 cvta.to.global.u64 %rd50, %rd48;
 mov.u32 %r1, %tid.x;
 shr.u32 %r27, %r1, 5;
 add.s64 %rd1, %rd50, 24;
 shr.u64 %rd51, %rd49, 32;
 cvt.u32.u64 %r2, %rd51;
 and.b64 %rd52, %rd49, 65535;
 add.s64 %rd53, %rd52, 31;
 shr.u64 %rd2, %rd53, 5;
 shl.b64 %rd3, %rd51, 16;
 cvt.u64.u32 %rd4, %r27;
 and.b32 %r28, %r1, 31;
 cvt.u64.u32 %rd5, %r28;
 shr.u64 %rd54, %rd49, 16;
 and.b64 %rd6, %rd54, 65535;
 add.s64 %rd7, %rd50, 32;
 bra.uni $L__BB0_1;
$L__BB0_156:
 membar.sys;
 mov.u64 %rd98, 0;
 st.volatile.global.u64 [%rd50+32], %rd98;
 st.volatile.global.u64 [%rd50+16], %rd98;
 ld.global.u64 %rd99, [%rd50+8];
 cvta.to.global.u64 %rd96, %rd99;
 shr.u64 %rd100, %rd49, 40;
 and.b64 %rd102, %rd51, 255;
 bfi.b64 %rd97, %rd100, %rd102, 8, 56;
 st.release.sys.global.u64 [%rd96], %rd97;
$L__BB0_1:
 setp.ne.s32 %p1, %r1, 0;
 @%p1 bra $L__BB0_8;
 ld.relaxed.sys.global.u64 %rd103, [%rd1];
$L__BB0_3:
 shr.u64 %rd59, %rd103, 16;
 cvt.u32.u64 %r3, %rd59;
 sub.s32 %r29, %r2, %r3;
 setp.lt.s32 %p2, %r29, 0;
 mov.u64 %rd104, 0;
 mov.u64 %rd105, %rd104;
 @%p2 bra $L__BB0_7;
 setp.eq.s32 %p3, %r2, %r3;
 and.b64 %rd62, %rd103, 65535;
 selp.b64 %rd10, %rd62, 0, %p3;
 setp.le.u64 %p4, %rd2, %rd10;
 @%p4 bra $L__BB0_7;
 sub.s64 %rd63, %rd2, %rd10;
 min.u64 %rd105, %rd63, 4;
 add.s64 %rd64, %rd105, %rd10;
 and.b64 %rd65, %rd64, 130816;
 or.b64 %rd66, %rd65, %rd3;
 and.b64 %rd67, %rd64, 255;
 or.b64 %rd68, %rd66, %rd67;
 atom.global.sys.cas.b64 %rd12, [%rd1], %rd103, %rd68;
 setp.ne.s64 %p5, %rd12, %rd103;
 mov.u64 %rd103, %rd12;
 @%p5 bra $L__BB0_3;
 mov.u64 %rd104, %rd10;
$L__BB0_7:
 st.shared.u64 [_ZZ17symm_change_wordsE5parts_$_0], %rd104;
 st.shared.u64 [_ZZ17symm_change_wordsE5parts_$_1], %rd105;
$L__BB0_8:
 bar.sync 0;
 ld.shared.u64 %rd17, [_ZZ17symm_change_wordsE5parts_$_1];
 setp.eq.s64 %p6, %rd17, 0;
 @%p6 bra $L__BB0_157;
 setp.le.u64 %p7, %rd17, %rd4;
 @%p7 bra $L__BB0_154;
 ld.shared.u64 %rd69, [_ZZ17symm_change_wordsE5parts_$_0];
 add.s64 %rd70, %rd69, %rd4;
 shl.b64 %rd71, %rd70, 5;
 or.b64 %rd19, %rd71, %rd5;
 setp.ge.u64 %p8, %rd19, %rd52;
 @%p8 bra $L__BB0_154;
 ld.global.u64 %rd79, [%rd50];
 cvta.to.global.u64 %rd20, %rd79;
 add.s64 %rd21, %rd19, %rd6;
 shl.b64 %rd80, %rd21, 5;
 add.s64 %rd74, %rd20, %rd80;
 ld.relaxed.sys.global.u64 %rd73, [%rd74];
 and.b64 %rd22, %rd73, 281474976710655;
 shr.u64 %rd81, %rd73, 56;
 cvt.u16.u64 %rs1, %rd81;
 add.s64 %rd76, %rd74, 8;
 ld.relaxed.sys.global.u64 %rd106, [%rd76];
 add.s64 %rd78, %rd74, 16;
 ld.relaxed.sys.global.u64 %rd77, [%rd78];
 shr.u64 %rd82, %rd73, 48;
 cvt.u16.u64 %rs3, %rd82;
 and.b16 %rs2, %rs3, 255;
 setp.gt.s16 %p9, %rs2, 1;
 @%p9 bra $L__BB0_18;
 bra.uni $L__BB0_12;
$L__BB0_18:
 setp.eq.s16 %p10, %rs2, 2;
 @%p10 bra $L__BB0_67;
 setp.eq.s16 %p11, %rs2, 3;
 @%p11 bra $L__BB0_44;
 setp.ne.s16 %p12, %rs2, 4;
 @%p12 bra $L__BB0_132;
 setp.gt.s16 %p15, %rs1, 4;
 @%p15 bra $L__BB0_30;
 setp.gt.s16 %p22, %rs1, 1;
 @%p22 bra $L__BB0_26;
 bra.uni $L__BB0_23;
$L__BB0_26:
 setp.eq.s16 %p23, %rs1, 2;
 @%p23 bra $L__BB0_42;
 setp.eq.s16 %p24, %rs1, 3;
 @%p24 bra $L__BB0_41;
 setp.eq.s16 %p25, %rs1, 4;
 @%p25 bra $L__BB0_29;
 bra.uni $L__BB0_153;
$L__BB0_29:
 atom.sys.add.u64 %rd106, [%rd22], %rd106;
 bra.uni $L__BB0_153;
$L__BB0_12:
 setp.eq.s16 %p13, %rs2, 0;
 @%p13 bra $L__BB0_108;
 setp.eq.s16 %p14, %rs2, 1;
 @%p14 bra $L__BB0_14;
 bra.uni $L__BB0_132;
$L__BB0_14:
 cvt.u32.u64 %r40, %rd106;
 setp.gt.s16 %p54, %rs1, 4;
 @%p54 bra $L__BB0_94;
 setp.gt.s16 %p61, %rs1, 1;
 @%p61 bra $L__BB0_90;
 bra.uni $L__BB0_16;
$L__BB0_90:
 setp.eq.s16 %p62, %rs1, 2;
 @%p62 bra $L__BB0_106;
 setp.eq.s16 %p63, %rs1, 3;
 @%p63 bra $L__BB0_105;
 setp.eq.s16 %p64, %rs1, 4;
 @%p64 bra $L__BB0_93;
 bra.uni $L__BB0_107;
$L__BB0_93:
 atom.sys.add.u32 %r40, [%rd22], %r40;
 bra.uni $L__BB0_107;
$L__BB0_67:
 cvt.u32.u64 %r4, %rd106;
 mov.b32 %f1, %r4;
 setp.gt.s16 %p41, %rs1, 2;
 @%p41 bra $L__BB0_72;
 bra.uni $L__BB0_68;
$L__BB0_72:
 setp.gt.s16 %p42, %rs1, 4;
 @%p42 bra $L__BB0_76;
 setp.eq.s16 %p45, %rs1, 3;
 @%p45 bra $L__BB0_84;
 setp.eq.s16 %p46, %rs1, 4;
 mov.f32 %f15, %f1;
 @%p46 bra $L__BB0_75;
 bra.uni $L__BB0_87;
$L__BB0_75:
 atom.sys.add.f32 %f15, [%rd22], %f1;
 bra.uni $L__BB0_87;
$L__BB0_44:
 setp.gt.s16 %p28, %rs1, 4;
 @%p28 bra $L__BB0_53;
 setp.gt.s16 %p35, %rs1, 1;
 @%p35 bra $L__BB0_49;
 bra.uni $L__BB0_46;
$L__BB0_49:
 setp.eq.s16 %p36, %rs1, 2;
 @%p36 bra $L__BB0_65;
 setp.eq.s16 %p37, %rs1, 3;
 @%p37 bra $L__BB0_64;
 setp.eq.s16 %p38, %rs1, 4;
 @%p38 bra $L__BB0_52;
 bra.uni $L__BB0_153;
$L__BB0_52:
 atom.sys.add.u64 %rd106, [%rd22], %rd106;
 bra.uni $L__BB0_153;
$L__BB0_108:
 cvt.u32.u64 %r41, %rd106;
 setp.gt.s16 %p67, %rs1, 4;
 @%p67 bra $L__BB0_117;
 setp.gt.s16 %p74, %rs1, 1;
 @%p74 bra $L__BB0_113;
 bra.uni $L__BB0_110;
$L__BB0_113:
 setp.eq.s16 %p75, %rs1, 2;
 @%p75 bra $L__BB0_129;
 setp.eq.s16 %p76, %rs1, 3;
 @%p76 bra $L__BB0_128;
 setp.eq.s16 %p77, %rs1, 4;
 @%p77 bra $L__BB0_116;
 bra.uni $L__BB0_131;
$L__BB0_116:
 atom.sys.add.u32 %r41, [%rd22], %r41;
 bra.uni $L__BB0_131;
$L__BB0_132:
 mov.b64 %fd1, %rd106;
 setp.gt.s16 %p80, %rs1, 2;
 @%p80 bra $L__BB0_137;
 bra.uni $L__BB0_133;
$L__BB0_137:
 setp.gt.s16 %p81, %rs1, 4;
 @%p81 bra $L__BB0_141;
 setp.eq.s16 %p84, %rs1, 3;
 @%p84 bra $L__BB0_149;
 setp.eq.s16 %p85, %rs1, 4;
 mov.f64 %fd15, %fd1;
 @%p85 bra $L__BB0_140;
 bra.uni $L__BB0_152;
$L__BB0_140:
 atom.sys.add.f64 %fd15, [%rd22], %fd1;
 bra.uni $L__BB0_152;
$L__BB0_53:
 setp.gt.s16 %p29, %rs1, 6;
 @%p29 bra $L__BB0_57;
 bra.uni $L__BB0_54;
$L__BB0_57:
 setp.eq.s16 %p30, %rs1, 7;
 @%p30 bra $L__BB0_62;
 setp.eq.s16 %p31, %rs1, 8;
 @%p31 bra $L__BB0_61;
 setp.ne.s16 %p32, %rs1, 9;
 @%p32 bra $L__BB0_153;
 atom.sys.xor.b64 %rd106, [%rd22], %rd106;
 bra.uni $L__BB0_153;
$L__BB0_30:
 setp.gt.s16 %p16, %rs1, 6;
 @%p16 bra $L__BB0_34;
 bra.uni $L__BB0_31;
$L__BB0_34:
 setp.eq.s16 %p17, %rs1, 7;
 @%p17 bra $L__BB0_39;
 setp.eq.s16 %p18, %rs1, 8;
 @%p18 bra $L__BB0_38;
 setp.ne.s16 %p19, %rs1, 9;
 @%p19 bra $L__BB0_153;
 atom.sys.xor.b64 %rd106, [%rd22], %rd106;
 bra.uni $L__BB0_153;
$L__BB0_94:
 setp.gt.s16 %p55, %rs1, 6;
 @%p55 bra $L__BB0_98;
 bra.uni $L__BB0_95;
$L__BB0_98:
 setp.eq.s16 %p56, %rs1, 7;
 @%p56 bra $L__BB0_103;
 setp.eq.s16 %p57, %rs1, 8;
 @%p57 bra $L__BB0_102;
 setp.ne.s16 %p58, %rs1, 9;
 @%p58 bra $L__BB0_107;
 atom.sys.xor.b32 %r40, [%rd22], %r40;
 bra.uni $L__BB0_107;
$L__BB0_117:
 setp.gt.s16 %p68, %rs1, 6;
 @%p68 bra $L__BB0_121;
 bra.uni $L__BB0_118;
$L__BB0_121:
 setp.eq.s16 %p69, %rs1, 7;
 @%p69 bra $L__BB0_126;
 setp.eq.s16 %p70, %rs1, 8;
 @%p70 bra $L__BB0_125;
 setp.ne.s16 %p71, %rs1, 9;
 @%p71 bra $L__BB0_131;
 atom.sys.xor.b32 %r41, [%rd22], %r41;
 bra.uni $L__BB0_131;
$L__BB0_68:
 setp.eq.s16 %p47, %rs1, 0;
 @%p47 bra $L__BB0_86;
 setp.eq.s16 %p48, %rs1, 1;
 @%p48 bra $L__BB0_85;
 setp.eq.s16 %p49, %rs1, 2;
 mov.f32 %f15, %f1;
 @%p49 bra $L__BB0_71;
 bra.uni $L__BB0_87;
$L__BB0_71:
 atom.sys.exch.b32 %r36, [%rd22], %r4;
 mov.b32 %f15, %r36;
 bra.uni $L__BB0_87;
$L__BB0_133:
 setp.eq.s16 %p86, %rs1, 0;
 @%p86 bra $L__BB0_151;
 setp.eq.s16 %p87, %rs1, 1;
 @%p87 bra $L__BB0_150;
 setp.eq.s16 %p88, %rs1, 2;
 mov.f64 %fd15, %fd1;
 @%p88 bra $L__BB0_136;
 bra.uni $L__BB0_152;
$L__BB0_136:
 atom.sys.exch.b64 %rd88, [%rd22], %rd106;
 mov.b64 %fd15, %rd88;
 bra.uni $L__BB0_152;
$L__BB0_76:
 setp.eq.s16 %p43, %rs1, 5;
 @%p43 bra $L__BB0_81;
 setp.ne.s16 %p44, %rs1, 6;
 mov.f32 %f15, %f1;
 @%p44 bra $L__BB0_87;
 ld.volatile.f32 %f15, [%rd22];
$L__BB0_79:
 setp.geu.f32 %p50, %f15, %f1;
 @%p50 bra $L__BB0_87;
 mov.b32 %r30, %f15;
 atom.sys.cas.b32 %r31, [%rd22], %r30, %r4;
 mov.b32 %f15, %r31;
 setp.eq.s32 %p51, %r31, %r30;
 @%p51 bra $L__BB0_87;
 bra.uni $L__BB0_79;
$L__BB0_141:
 setp.eq.s16 %p82, %rs1, 5;
 @%p82 bra $L__BB0_146;
 setp.ne.s16 %p83, %rs1, 6;
 mov.f64 %fd15, %fd1;
 @%p83 bra $L__BB0_152;
 ld.volatile.f64 %fd15, [%rd22];
$L__BB0_144:
 setp.geu.f64 %p89, %fd15, %fd1;
 @%p89 bra $L__BB0_152;
 mov.b64 %rd83, %fd15;
 atom.sys.cas.b64 %rd84, [%rd22], %rd83, %rd106;
 mov.b64 %fd15, %rd84;
 setp.eq.s64 %p90, %rd84, %rd83;
 @%p90 bra $L__BB0_152;
 bra.uni $L__BB0_144;
$L__BB0_46:
 setp.eq.s16 %p39, %rs1, 0;
 @%p39 bra $L__BB0_66;
 setp.eq.s16 %p40, %rs1, 1;
 @%p40 bra $L__BB0_48;
 bra.uni $L__BB0_153;
$L__BB0_48:
 st.volatile.u64 [%rd22], %rd106;
 bra.uni $L__BB0_153;
$L__BB0_54:
 setp.eq.s16 %p33, %rs1, 5;
 @%p33 bra $L__BB0_63;
 setp.eq.s16 %p34, %rs1, 6;
 @%p34 bra $L__BB0_56;
 bra.uni $L__BB0_153;
$L__BB0_56:
 atom.sys.max.s64 %rd106, [%rd22], %rd106;
 bra.uni $L__BB0_153;
$L__BB0_23:
 setp.eq.s16 %p26, %rs1, 0;
 @%p26 bra $L__BB0_43;
 setp.eq.s16 %p27, %rs1, 1;
 @%p27 bra $L__BB0_25;
 bra.uni $L__BB0_153;
$L__BB0_25:
 st.volatile.u64 [%rd22], %rd106;
 bra.uni $L__BB0_153;
$L__BB0_16:
 setp.eq.s16 %p65, %rs1, 0;
 @%p65 bra $L__BB0_17;
 setp.eq.s16 %p66, %rs1, 1;
 @%p66 bra $L__BB0_89;
 bra.uni $L__BB0_107;
$L__BB0_89:
 st.volatile.u32 [%rd22], %r40;
 bra.uni $L__BB0_107;
$L__BB0_110:
 setp.eq.s16 %p78, %rs1, 0;
 @%p78 bra $L__BB0_130;
 setp.eq.s16 %p79, %rs1, 1;
 @%p79 bra $L__BB0_112;
 bra.uni $L__BB0_131;
$L__BB0_112:
 st.volatile.u32 [%rd22], %r41;
 bra.uni $L__BB0_131;
$L__BB0_31:
 setp.eq.s16 %p20, %rs1, 5;
 @%p20 bra $L__BB0_40;
 setp.eq.s16 %p21, %rs1, 6;
 @%p21 bra $L__BB0_33;
 bra.uni $L__BB0_153;
$L__BB0_33:
 atom.sys.max.u64 %rd106, [%rd22], %rd106;
 bra.uni $L__BB0_153;
$L__BB0_95:
 setp.eq.s16 %p59, %rs1, 5;
 @%p59 bra $L__BB0_104;
 setp.eq.s16 %p60, %rs1, 6;
 @%p60 bra $L__BB0_97;
 bra.uni $L__BB0_107;
$L__BB0_97:
 atom.sys.max.u32 %r40, [%rd22], %r40;
 bra.uni $L__BB0_107;
$L__BB0_118:
 setp.eq.s16 %p72, %rs1, 5;
 @%p72 bra $L__BB0_127;
 setp.eq.s16 %p73, %rs1, 6;
 @%p73 bra $L__BB0_120;
 bra.uni $L__BB0_131;
$L__BB0_120:
 atom.sys.max.s32 %r41, [%rd22], %r41;
 bra.uni $L__BB0_131;
$L__BB0_84:
 cvt.u32.u64 %r34, %rd77;
 atom.sys.cas.b32 %r35, [%rd22], %r34, %r4;
 mov.b32 %f15, %r35;
 bra.uni $L__BB0_87;
$L__BB0_86:
 ld.volatile.f32 %f15, [%rd22];
 bra.uni $L__BB0_87;
$L__BB0_81:
 ld.volatile.f32 %f15, [%rd22];
$L__BB0_82:
 setp.leu.f32 %p52, %f15, %f1;
 @%p52 bra $L__BB0_87;
 mov.b32 %r32, %f15;
 atom.sys.cas.b32 %r33, [%rd22], %r32, %r4;
 mov.b32 %f15, %r33;
 setp.eq.s32 %p53, %r33, %r32;
 @%p53 bra $L__BB0_87;
 bra.uni $L__BB0_82;
$L__BB0_149:
 atom.sys.cas.b64 %rd87, [%rd22], %rd77, %rd106;
 mov.b64 %fd15, %rd87;
 bra.uni $L__BB0_152;
$L__BB0_85:
 st.volatile.f32 [%rd22], %f1;
 mov.f32 %f15, %f1;
$L__BB0_87:
 mov.b32 %r37, %f15;
 cvt.u64.u32 %rd106, %r37;
 bra.uni $L__BB0_153;
$L__BB0_151:
 ld.volatile.f64 %fd15, [%rd22];
 bra.uni $L__BB0_152;
$L__BB0_150:
 st.volatile.f64 [%rd22], %fd1;
 mov.f64 %fd15, %fd1;
 bra.uni $L__BB0_152;
$L__BB0_146:
 ld.volatile.f64 %fd15, [%rd22];
$L__BB0_147:
 setp.leu.f64 %p91, %fd15, %fd1;
 @%p91 bra $L__BB0_152;
 mov.b64 %rd85, %fd15;
 atom.sys.cas.b64 %rd86, [%rd22], %rd85, %rd106;
 mov.b64 %fd15, %rd86;
 setp.eq.s64 %p92, %rd86, %rd85;
 @%p92 bra $L__BB0_152;
 bra.uni $L__BB0_147;
$L__BB0_152:
 mov.b64 %rd106, %fd15;
 bra.uni $L__BB0_153;
$L__BB0_42:
 atom.sys.exch.b64 %rd106, [%rd22], %rd106;
 bra.uni $L__BB0_153;
$L__BB0_41:
 atom.sys.cas.b64 %rd106, [%rd22], %rd77, %rd106;
 bra.uni $L__BB0_153;
$L__BB0_106:
 atom.sys.exch.b32 %r40, [%rd22], %r40;
 bra.uni $L__BB0_107;
$L__BB0_105:
 cvt.u32.u64 %r38, %rd77;
 atom.sys.cas.b32 %r40, [%rd22], %r38, %r40;
 bra.uni $L__BB0_107;
$L__BB0_65:
 atom.sys.exch.b64 %rd106, [%rd22], %rd106;
 bra.uni $L__BB0_153;
$L__BB0_64:
 atom.sys.cas.b64 %rd106, [%rd22], %rd77, %rd106;
 bra.uni $L__BB0_153;
$L__BB0_129:
 atom.sys.exch.b32 %r41, [%rd22], %r41;
 bra.uni $L__BB0_131;
$L__BB0_128:
 cvt.u32.u64 %r39, %rd77;
 atom.sys.cas.b32 %r41, [%rd22], %r39, %r41;
 bra.uni $L__BB0_131;
$L__BB0_62:
 atom.sys.and.b64 %rd106, [%rd22], %rd106;
 bra.uni $L__BB0_153;
$L__BB0_61:
 atom.sys.or.b64 %rd106, [%rd22], %rd106;
 bra.uni $L__BB0_153;
$L__BB0_39:
 atom.sys.and.b64 %rd106, [%rd22], %rd106;
 bra.uni $L__BB0_153;
$L__BB0_38:
 atom.sys.or.b64 %rd106, [%rd22], %rd106;
 bra.uni $L__BB0_153;
$L__BB0_103:
 atom.sys.and.b32 %r40, [%rd22], %r40;
 bra.uni $L__BB0_107;
$L__BB0_102:
 atom.sys.or.b32 %r40, [%rd22], %r40;
 bra.uni $L__BB0_107;
$L__BB0_126:
 atom.sys.and.b32 %r41, [%rd22], %r41;
 bra.uni $L__BB0_131;
$L__BB0_125:
 atom.sys.or.b32 %r41, [%rd22], %r41;
 bra.uni $L__BB0_131;
$L__BB0_66:
 ld.volatile.u64 %rd106, [%rd22];
 bra.uni $L__BB0_153;
$L__BB0_63:
 atom.sys.min.s64 %rd106, [%rd22], %rd106;
 bra.uni $L__BB0_153;
$L__BB0_43:
 ld.volatile.u64 %rd106, [%rd22];
 bra.uni $L__BB0_153;
$L__BB0_17:
 ld.volatile.u32 %r40, [%rd22];
 bra.uni $L__BB0_107;
$L__BB0_130:
 ld.volatile.u32 %r41, [%rd22];
 bra.uni $L__BB0_131;
$L__BB0_40:
 atom.sys.min.u64 %rd106, [%rd22], %rd106;
 bra.uni $L__BB0_153;
$L__BB0_104:
 atom.sys.min.u32 %r40, [%rd22], %r40;
$L__BB0_107:
 cvt.u64.u32 %rd106, %r40;
 bra.uni $L__BB0_153;
$L__BB0_127:
 atom.sys.min.s32 %r41, [%rd22], %r41;
$L__BB0_131:
 cvt.u64.u32 %rd106, %r41;
$L__BB0_153:
 add.s64 %rd89, %rd74, 24;
 st.relaxed.sys.global.u64 [%rd89], %rd106;
$L__BB0_154:
 bar.sync 0;
 @%p1 bra $L__BB0_1;
 ld.shared.u64 %rd93, [_ZZ17symm_change_wordsE5parts_$_1];
 membar.sys;
 atom.global.sys.add.u64 %rd94, [%rd7], %rd93;
 add.s64 %rd95, %rd94, %rd93;
 setp.ne.s64 %p94, %rd95, %rd2;
 @%p94 bra $L__BB0_1;
 bra.uni $L__BB0_156;
$L__BB0_157:
 ret;
}
)ptx";

}  // namespace symm::Impl

#endif
