#pragma once

#include <optional>
#include <string>

namespace CLI {
class App;
}

namespace stash {

// A flag for a price in dollars, spelled as parse_usd takes it.
class UsdFlag {
 public:
  enum class Least { above_0, from_0 };
  explicit UsdFlag(std::string name = "--usd-per-hour", Least least = Least::above_0)
      : name_(std::move(name)), least_(least) {}

  void add_to(CLI::App& app, const std::string& help);
  std::optional<double> get() const;  // nullopt: not given; UsageError shows a valid spelling
  void check() const { get(); }

 private:
  std::string name_;
  Least least_;
  std::optional<std::string> text_;
};

}  // namespace stash
