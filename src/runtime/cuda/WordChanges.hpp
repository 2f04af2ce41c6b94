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
 .param .u64 symm_change_words_param_0,
 .param .u32 symm_change_words_param_1,
 .param .u32 symm_change_words_param_2,
 .param .u32 symm_change_words_param_3
)
.maxntid 128, 1, 1
{
 .reg .pred  %p<41>;
 .reg .f32  %f<6>;
 .reg .b32  %r<48>;
 .reg .f64  %fd<6>;
 .reg .b64  %rd<53>;
 ld.param.u64  %rd40, [symm_change_words_param_0];
 ld.param.u32  %r20, [symm_change_words_param_1];
 ld.param.u32  %r21, [symm_change_words_param_2];
 ld.param.u32  %r22, [symm_change_words_param_3];
 cvta.to.global.u64  %rd1, %rd40;
 mov.u32  %r44, %ntid.x;
 mov.u32  %r45, %ctaid.x;
 mov.u32  %r46, %tid.x;
 mad.lo.s32  %r39, %r45, %r44, %r46;
 setp.ge.u32  %p1, %r39, %r20;
 @%p1 bra  $L__BB0_65;
 mov.u32  %r47, %nctaid.x;
 mul.lo.s32  %r2, %r47, %r44;
 setp.eq.s32  %p2, %r21, 0;
 @%p2 bra  $L__BB0_61;
$L__BB0_2:
 cvt.u64.u32  %rd2, %r39;
 mul.wide.u32  %rd41, %r39, 32;
 add.s64  %rd3, %rd1, %rd41;
 ld.volatile.global.u64  %rd4, [%rd3];
 ld.volatile.global.u64  %rd5, [%rd3+16];
 ld.volatile.global.u64  %rd6, [%rd3+8];
 cvt.u32.u64  %r4, %rd6;
 setp.gt.s32  %p3, %r21, 4;
 @%p3 bra  $L__BB0_9;
 add.s32  %r24, %r21, -1;
 setp.lt.u32  %p7, %r24, 2;
 @%p7 bra  $L__BB0_51;
 setp.eq.s32  %p8, %r21, 3;
 @%p8 bra  $L__BB0_48;
 setp.eq.s32  %p9, %r21, 4;
 @%p9 bra  $L__BB0_6;
 bra.uni  $L__BB0_57;
$L__BB0_6:
 setp.eq.s32  %p31, %r22, 2;
 @%p31 bra  $L__BB0_44;
 setp.ne.s32  %p32, %r22, 5;
 @%p32 bra  $L__BB0_45;
 mov.b64  %fd4, %rd6;
 atom.sys.add.f64  %fd5, [%rd4], %fd4;
 mov.b64  %rd51, %fd5;
 bra.uni  $L__BB0_60;
$L__BB0_9:
 add.s32  %r23, %r21, -5;
 setp.lt.u32  %p4, %r23, 2;
 @%p4 bra  $L__BB0_15;
 setp.eq.s32  %p5, %r21, 8;
 @%p5 bra  $L__BB0_54;
 setp.ne.s32  %p6, %r21, 7;
 @%p6 bra  $L__BB0_57;
 setp.lt.u32  %p10, %r22, 3;
 @%p10 bra  $L__BB0_14;
 bra.uni  $L__BB0_13;
$L__BB0_14:
 atom.sys.and.b32  %r25, [%rd4], %r4;
 cvt.u64.u32  %rd51, %r25;
 bra.uni  $L__BB0_60;
$L__BB0_51:
 setp.lt.u32  %p35, %r22, 3;
 @%p35 bra  $L__BB0_53;
 bra.uni  $L__BB0_52;
$L__BB0_53:
 atom.sys.exch.b32  %r30, [%rd4], %r4;
 cvt.u64.u32  %rd51, %r30;
 bra.uni  $L__BB0_60;
$L__BB0_15:
 setp.gt.s32  %p11, %r22, 1;
 @%p11 bra  $L__BB0_20;
 bra.uni  $L__BB0_16;
$L__BB0_20:
 setp.eq.s32  %p12, %r22, 2;
 @%p12 bra  $L__BB0_35;
 setp.eq.s32  %p13, %r22, 5;
 @%p13 bra  $L__BB0_30;
 setp.ne.s32  %p14, %r22, 3;
 @%p14 bra  $L__BB0_41;
 setp.eq.s32  %p17, %r21, 5;
 @%p17 bra  $L__BB0_25;
 bra.uni  $L__BB0_24;
$L__BB0_25:
 atom.sys.min.s64  %rd51, [%rd4], %rd6;
 bra.uni  $L__BB0_60;
$L__BB0_48:
 setp.lt.u32  %p34, %r22, 3;
 @%p34 bra  $L__BB0_50;
 bra.uni  $L__BB0_49;
$L__BB0_50:
 cvt.u32.u64  %r28, %rd5;
 atom.sys.cas.b32  %r29, [%rd4], %r28, %r4;
 cvt.u64.u32  %rd51, %r29;
 bra.uni  $L__BB0_60;
$L__BB0_54:
 setp.lt.u32  %p36, %r22, 3;
 @%p36 bra  $L__BB0_56;
 bra.uni  $L__BB0_55;
$L__BB0_56:
 atom.sys.or.b32  %r31, [%rd4], %r4;
 cvt.u64.u32  %rd51, %r31;
 bra.uni  $L__BB0_60;
$L__BB0_57:
 setp.lt.u32  %p37, %r22, 3;
 @%p37 bra  $L__BB0_59;
 bra.uni  $L__BB0_58;
$L__BB0_59:
 atom.sys.xor.b32  %r32, [%rd4], %r4;
 cvt.u64.u32  %rd51, %r32;
 bra.uni  $L__BB0_60;
$L__BB0_52:
 atom.sys.exch.b64  %rd51, [%rd4], %rd6;
 bra.uni  $L__BB0_60;
$L__BB0_16:
 setp.eq.s32  %p15, %r22, 0;
 @%p15 bra  $L__BB0_27;
 setp.eq.s32  %p16, %r22, 1;
 @%p16 bra  $L__BB0_18;
 bra.uni  $L__BB0_41;
$L__BB0_18:
 setp.eq.s32  %p18, %r21, 5;
 @%p18 bra  $L__BB0_26;
 bra.uni  $L__BB0_19;
$L__BB0_26:
 atom.sys.min.u32  %r6, [%rd4], %r4;
 cvt.u64.u32  %rd51, %r6;
 bra.uni  $L__BB0_60;
$L__BB0_13:
 atom.sys.and.b64  %rd51, [%rd4], %rd6;
 bra.uni  $L__BB0_60;
$L__BB0_49:
 atom.sys.cas.b64  %rd51, [%rd4], %rd5, %rd6;
 bra.uni  $L__BB0_60;
$L__BB0_55:
 atom.sys.or.b64  %rd51, [%rd4], %rd6;
 bra.uni  $L__BB0_60;
$L__BB0_58:
 atom.sys.xor.b64  %rd51, [%rd4], %rd6;
 bra.uni  $L__BB0_60;
$L__BB0_44:
 mov.b32  %f4, %r4;
 atom.sys.add.f32  %f5, [%rd4], %f4;
 mov.b32  %r26, %f5;
 cvt.u64.u32  %rd51, %r26;
 bra.uni  $L__BB0_60;
$L__BB0_45:
 setp.lt.u32  %p33, %r22, 3;
 @%p33 bra  $L__BB0_47;
 bra.uni  $L__BB0_46;
$L__BB0_47:
 atom.sys.add.u32  %r27, [%rd4], %r4;
 cvt.u64.u32  %rd51, %r27;
 bra.uni  $L__BB0_60;
$L__BB0_35:
 ld.volatile.u32  %r40, [%rd4];
 mov.b32  %f1, %r4;
 setp.eq.s32  %p25, %r21, 5;
 @%p25 bra  $L__BB0_38;
 bra.uni  $L__BB0_36;
$L__BB0_38:
 mov.u32  %r42, %r40;
 mov.b32  %f3, %r42;
 setp.geu.f32  %p28, %f1, %f3;
 @%p28 bra  $L__BB0_40;
 atom.sys.cas.b32  %r40, [%rd4], %r42, %r4;
 setp.ne.s32  %p29, %r40, %r42;
 @%p29 bra  $L__BB0_38;
 bra.uni  $L__BB0_40;
$L__BB0_36:
 mov.u32  %r42, %r40;
 mov.b32  %f2, %r42;
 setp.leu.f32  %p26, %f1, %f2;
 @%p26 bra  $L__BB0_40;
 atom.sys.cas.b32  %r40, [%rd4], %r42, %r4;
 setp.eq.s32  %p27, %r40, %r42;
 @%p27 bra  $L__BB0_40;
 bra.uni  $L__BB0_36;
$L__BB0_40:
 cvt.u64.u32  %rd51, %r42;
 bra.uni  $L__BB0_60;
$L__BB0_30:
 ld.volatile.u64  %rd49, [%rd4];
 mov.b64  %fd1, %rd6;
 setp.eq.s32  %p20, %r21, 5;
 @%p20 bra  $L__BB0_33;
 bra.uni  $L__BB0_31;
$L__BB0_33:
 mov.u64  %rd51, %rd49;
 mov.b64  %fd3, %rd51;
 setp.geu.f64  %p23, %fd1, %fd3;
 @%p23 bra  $L__BB0_60;
 atom.sys.cas.b64  %rd49, [%rd4], %rd51, %rd6;
 setp.eq.s64  %p24, %rd49, %rd51;
 @%p24 bra  $L__BB0_60;
 bra.uni  $L__BB0_33;
$L__BB0_31:
 mov.u64  %rd51, %rd49;
 mov.b64  %fd2, %rd51;
 setp.leu.f64  %p21, %fd1, %fd2;
 @%p21 bra  $L__BB0_60;
 atom.sys.cas.b64  %rd49, [%rd4], %rd51, %rd6;
 setp.eq.s64  %p22, %rd49, %rd51;
 @%p22 bra  $L__BB0_60;
 bra.uni  $L__BB0_31;
$L__BB0_27:
 setp.eq.s32  %p19, %r21, 5;
 @%p19 bra  $L__BB0_29;
 bra.uni  $L__BB0_28;
$L__BB0_29:
 atom.sys.min.s32  %r9, [%rd4], %r4;
 cvt.u64.u32  %rd51, %r9;
 bra.uni  $L__BB0_60;
$L__BB0_41:
 setp.eq.s32  %p30, %r21, 5;
 @%p30 bra  $L__BB0_43;
 bra.uni  $L__BB0_42;
$L__BB0_43:
 atom.sys.min.u64  %rd51, [%rd4], %rd6;
 bra.uni  $L__BB0_60;
$L__BB0_24:
 atom.sys.max.s64  %rd51, [%rd4], %rd6;
 bra.uni  $L__BB0_60;
$L__BB0_19:
 atom.sys.max.u32  %r5, [%rd4], %r4;
 cvt.u64.u32  %rd51, %r5;
 bra.uni  $L__BB0_60;
$L__BB0_46:
 atom.sys.add.u64  %rd51, [%rd4], %rd6;
 bra.uni  $L__BB0_60;
$L__BB0_28:
 atom.sys.max.s32  %r8, [%rd4], %r4;
 cvt.u64.u32  %rd51, %r8;
 bra.uni  $L__BB0_60;
$L__BB0_42:
 atom.sys.max.u64  %rd51, [%rd4], %rd6;
$L__BB0_60:
 st.volatile.global.u64  [%rd3+24], %rd51;
 cvt.u32.u64  %r33, %rd2;
 add.s32  %r39, %r33, %r2;
 setp.lt.u32  %p38, %r39, %r20;
 @%p38 bra  $L__BB0_2;
 bra.uni  $L__BB0_65;
$L__BB0_61:
 cvt.u64.u32  %rd34, %r39;
 mul.wide.u32  %rd42, %r39, 32;
 add.s64  %rd35, %rd1, %rd42;
 ld.volatile.global.u64  %rd36, [%rd35];
 ld.volatile.global.u64  %rd43, [%rd35+8];
 ld.volatile.global.u64  %rd44, [%rd35+16];
 setp.lt.u32  %p39, %r22, 3;
 @%p39 bra  $L__BB0_63;
 bra.uni  $L__BB0_62;
$L__BB0_63:
 ld.volatile.u32  %rd52, [%rd36];
 bra.uni  $L__BB0_64;
$L__BB0_62:
 ld.volatile.u64  %rd52, [%rd36];
$L__BB0_64:
 st.volatile.global.u64  [%rd35+24], %rd52;
 cvt.u32.u64  %r34, %rd34;
 add.s32  %r39, %r34, %r2;
 setp.lt.u32  %p40, %r39, %r20;
 @%p40 bra  $L__BB0_61;
$L__BB0_65:
 ret;
}
)ptx";

}  // namespace symm::Impl

#endif
