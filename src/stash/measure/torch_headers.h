#pragma once

// The torch headers that the measuring code needs, precompiled once.
#include <ATen/ATen.h>
#include <ATen/core/ivalue.h>

#include <torch/csrc/distributed/c10d/Backend.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>
