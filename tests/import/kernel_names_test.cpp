#include "stash/import/kernel_names.h"

#include <gtest/gtest.h>

namespace stash {
namespace {

struct Expected {
  const char* name;
  const char* collective;
};

}  // namespace

TEST(KernelNames, CollectivesOfOldAndNewLibrariesAreRecognised) {
  for (const auto& [name, collective] : {
           Expected{"ncclKernel_AllReduce_RING_LL_Sum_float(ncclDevComm*, unsigned long, ncclWork*)", "all_reduce"},
           Expected{"ncclAllReduceRingLLKernel_sum_f32(ncclColl)", "all_reduce"},
           Expected{"ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)", "all_reduce"},
           Expected{"ncclDevKernel_AllReduce_Sum_bf16_TREE_LL(ncclDevComm*, unsigned long, ncclWork*)", "all_reduce"},
           Expected{"ncclKernel_AllGather_RING_LL_Sum_int8_t(ncclDevComm*, unsigned long, ncclWork*)", "all_gather"},
           Expected{"ncclDevKernel_AllGather_RING_LL(ncclDevKernelArgsStorage<4096ul>)", "all_gather"},
           Expected{"ncclDevKernel_ReduceScatter_Sum_f32_RING_LL(ncclDevKernelArgsStorage<4096ul>)", "reduce_scatter"},
           Expected{"ncclKernel_ReduceScatter_RING_LL_Sum_half(ncclDevComm*, unsigned long, ncclWork*)",
                    "reduce_scatter"},
           Expected{"ncclDevKernel_Broadcast_RING_LL(ncclDevKernelArgsStorage<4096ul>)", "broadcast"},
           Expected{"ncclKernel_Reduce_RING_LL_Sum_float(ncclDevComm*, unsigned long, ncclWork*)", "reduce"},
           Expected{"ncclKernel_SendRecv_RING_SIMPLE_Sum_int8_t(ncclDevComm*, unsigned long, ncclWork*)", "send_recv"},
           Expected{"ncclDevKernel_SendRecv(ncclDevKernelArgsStorage<4096ul>)", "send_recv"},
           Expected{"ncclDevKernel_Generic(ncclDevComm*, unsigned long, ncclWork*)", ""},
           Expected{"ncclDevKernel_Generic_1(ncclDevKernelArgsStorage<4096ul>)", ""},
           Expected{"void vllm::cross_device_reduce_1stage<__nv_bfloat16, 8>(vllm::RankData*)", "all_reduce"},
           Expected{"void flashinfer::trtllm_allreduce_fusion::allreduce_fusion_kernel", "all_reduce"},
       }) {
    const KernelName found = classify_kernel(name);
    EXPECT_EQ(found.kind, KernelKind::communication) << name;
    EXPECT_TRUE(found.recognised) << name;
    EXPECT_EQ(found.collective, collective) << name;
  }
}

TEST(KernelNames, KernelsThatReduceOrBroadcastInsideOneGpuCompute) {
  for (const char* name : {"void at::native::reduce_kernel<512, 1, at::native::ReduceOp<float, at::native::MeanOps> >",
                           "volta_sgemm_128x64_tn", "void cublasLt::splitKreduce_kernel<32, 16, int, float>",
                           "triton_poi_fused_broadcast_add_0", "sm80_xmma_fprop_implicit_gemm_tf32f32",
                           "nvjet_tst_192x192_64x4_2x1_v_bz_coopB_TNN", "Cijk_Ailk_Bljk_SB_MT128x64x16",
                           "void at::native::(anonymous namespace)::multi_tensor_apply_kernel<>"}) {
    const KernelName found = classify_kernel(name);
    EXPECT_EQ(found.kind, KernelKind::compute) << name;
    EXPECT_TRUE(found.recognised) << name;
  }
}

TEST(KernelNames, MoreNamesThanAreKeptAreStillTold) {
  KernelNames names;
  for (int i = 0; i < 20'000; ++i) {
    EXPECT_EQ(names.find("ncclDevKernel_Generic_" + std::to_string(i)).kind, KernelKind::communication);
    EXPECT_EQ(names.find("gemm_" + std::to_string(i)).kind, KernelKind::compute);
  }
}

TEST(KernelNames, AnUnknownNameCountsAsComputeAndIsKept) {
  KernelNames names;
  EXPECT_FALSE(names.find("my_secret_op").recognised);
  EXPECT_EQ(names.find("my_secret_op").kind, KernelKind::compute);
  EXPECT_EQ(names.find("ncclDevKernel_Generic").kind, KernelKind::communication);
  EXPECT_EQ(names.find("").kind, KernelKind::compute);
  EXPECT_EQ(names.unrecognised(), (std::vector<std::string>{"my_secret_op", ""}));
}

}  // namespace stash
