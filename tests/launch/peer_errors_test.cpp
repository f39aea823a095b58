#include "stash/launch/peer_errors.h"

#include <gtest/gtest.h>

namespace stash {
namespace {

// As Gloo, NCCL and torch's stores word them, from torch 2.5 on.
TEST(PeerErrors, ThatAnotherRankIsGoneIsRecognised) {
  for (const char* message :
       {"[/pytorch/third_party/gloo/gloo/transport/tcp/pair.cc:547] Connection closed by peer [127.0.0.1]:40213",
        "[../third_party/gloo/gloo/transport/tcp/pair.cc:534] Read error [127.0.0.1]:4512: Connection reset by peer",
        "writev [127.0.0.1]:2201: Broken pipe", "Socket closed",
        "[unbound_buffer.cc:133] Timed out waiting 30000ms for recv operation to complete",
        "NCCL communicator was aborted on rank 1.",
        "ncclRemoteError: a remote process exited or there was a network error"}) {
    EXPECT_TRUE(is_of_a_lost_peer(message)) << message;
  }
}

TEST(PeerErrors, ARanksOwnFailureIsItsOwn) {
  for (const char* message : {"", "CUDA error: an illegal memory access was encountered", "can't allocate memory: 4 GB",
                              "photos/3.jpg: cannot be decoded", "--batch 7 is too large"}) {
    EXPECT_FALSE(is_of_a_lost_peer(message)) << message;
  }
}

}  // namespace
}  // namespace stash
