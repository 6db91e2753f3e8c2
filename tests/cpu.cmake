# The numeric tests again as on older CPUs: with less for oneDNN and for our own kernels to use, and
# on the oldest CPU that works, emulated, which has nothing newer (few shapes: an emulator is slow).
# docs/performance.md says which CPU is the oldest that works. What the environment tells OpenBLAS of the real CPU is not for the
# emulated one.
find_program(F0T_QEMU NAMES qemu-x86_64 qemu-x86_64-static)

# f0t_add_cpu_test(PART.NAME CPU COMMAND ENVIRONMENT…): this unit test again, by COMMAND, as PART.NAME.CPU.
function(f0t_add_cpu_test test cpu command)
  f0t_check_tests(${test})
  string(REGEX MATCH "^[^.]*" part ${test})
  string(REGEX REPLACE "^[^.]*[.]" "" name ${test})
  add_test(NAME ${test}.${cpu} COMMAND ${command} $<TARGET_FILE:unit_${part}> ${name})
  set_tests_properties(${test}.${cpu} PROPERTIES LABELS "unit;cpu;slow;exhaustive"
    ENVIRONMENT "${F0T_TEST_ENVIRONMENT};${ARGN}")
endfunction()

# Whole methods, whose promises must hold on them too; too slow for an emulator.
foreach(test rank.ranksvm rank.ranklist baseline.cca baseline.fasttag baseline.tagprop
    baseline.seen2unseen baseline.ranksvm math.panels math.point_panels math.smooth math.winograd onnx.quantise onnx.schedule)
  f0t_add_cpu_test(${test} sse41 "" ONEDNN_MAX_CPU_ISA=SSE41 F0T_MAX_CPU=base)
  f0t_add_cpu_test(${test} avx2 "" ONEDNN_MAX_CPU_ISA=AVX2 F0T_MAX_CPU=wide)
endforeach()

# Its kernels of eight bits are others there.
f0t_add_cpu_test(onnx.quantised avx2_vnni "" ONEDNN_MAX_CPU_ISA=AVX2_VNNI F0T_MAX_CPU=wide)

foreach(test base.dtype image.descriptor_kernels image.descriptor_version math.elementwise math.product_gram
    math.layers math.matmul math.solve math.topk compute.loss compute.loss_pairs compute.loss_regression
    compute.optimizer compute.dropout compute.screen rank.miap model.net model.step)
  f0t_add_cpu_test(${test} sse41 "" ONEDNN_MAX_CPU_ISA=SSE41 F0T_MAX_CPU=base)
  f0t_add_cpu_test(${test} avx2 "" ONEDNN_MAX_CPU_ISA=AVX2 F0T_MAX_CPU=wide)
  f0t_add_cpu_test(${test} avx512 "" ONEDNN_MAX_CPU_ISA=AVX512_CORE F0T_MAX_CPU=widest)
  if(F0T_QEMU AND NOT F0T_SANITIZE)
    f0t_add_cpu_test(${test} core2duo "${F0T_QEMU};-U;OPENBLAS_CORETYPE;-cpu;core2duo" F0T_TEST_SMALL=1)
  endif()
endforeach()
