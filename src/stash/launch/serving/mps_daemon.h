#pragma once

#include <sys/types.h>

#include "stash/launch/process/exec_vectors.h"
#include "stash/launch/run_folder.h"

namespace stash {

// NVIDIA's multi-process service, without which the processes of several models take turns on a GPU. It runs as long as
// this object, for the processes that get its environment. Where the environment names a service already, that is used.
class MpsDaemon {
 public:
  MpsDaemon();  // Error where it cannot be had
  ~MpsDaemon();
  MpsDaemon(const MpsDaemon&) = delete;
  MpsDaemon& operator=(const MpsDaemon&) = delete;

  const EnvironmentChanges& environment() const { return environment_; }

 private:
  void start();
  void wait_until_it_answers();
  bool has_ended();

  RunFolder folder_;
  EnvironmentChanges environment_;
  pid_t pid_ = -1;
};

}  // namespace stash
