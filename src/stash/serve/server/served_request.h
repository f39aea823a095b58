#pragma once

#include <cstdint>

#include "stash/serve/batching/request_times.h"

namespace stash {

// An answered request, and which one it was: the number of the request on its connection, from 0 on.
struct ServedRequest {
  std::uint16_t peer_port = 0;
  std::uint32_t number = 0;
  RequestTimes times;
};

}  // namespace stash
