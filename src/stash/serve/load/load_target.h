#pragma once

#include <string>
#include <string_view>

namespace stash {

// Where requests go. A model of a server that speaks the Open Inference Protocol, as HOST:PORT/MODEL, or any address,
// as http://HOST:PORT/PATH, which gets a body that the user gives.
struct LoadTarget {
  std::string host;
  std::string port = "80";
  std::string model;  // empty: `path` is the address
  std::string path;   // what requests are posted to

  std::string authority() const;  // "localhost:8000", "[::1]:8000"
};

// UsageError shows a valid one.
LoadTarget parse_load_target(std::string_view text);

}  // namespace stash
