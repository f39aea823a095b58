#pragma once

#include <string>
#include <string_view>

namespace stash {

// Where a job computes: cpu, cuda, emulated:<gpu>, or what else torch may have. It is told apart here, once; its text
// is kept as it came.
class JobDevice {
 public:
  JobDevice() : JobDevice("cpu") {}
  JobDevice(std::string text);  // implicit: flags, JSON and tests write a device as its text
  JobDevice(const char* text) : JobDevice(std::string(text)) {}
  static JobDevice cuda() { return "cuda"; }  // each rank its own GPU
  static JobDevice emulated(std::string_view gpu);

  const std::string& text() const { return text_; }
  bool is_cpu() const { return kind_ == Kind::cpu; }
  bool is_cuda() const { return kind_ == Kind::cuda; }
  bool is_emulated() const { return kind_ == Kind::emulated; }
  std::string gpu() const;  // that is emulated, as it was named; else empty

  bool operator==(const JobDevice&) const = default;

 private:
  enum class Kind { cpu, cuda, emulated, other };

  std::string text_;
  Kind kind_ = Kind::other;
};

}  // namespace stash
