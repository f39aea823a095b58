#include "scripted_control.h"

namespace stash {

MeetingPlace::AllWords ScriptedControl::meet(Words own) {
  own.at_ns = clock_.true_ns();
  MeetingPlace::AllWords all = place_.meet(rank(), std::move(own));
  clock_.reach(latest_ns(*all) + exchange_ns_);
  return all;
}

void ScriptedControl::barrier() {
  on_barrier_();
  meet({});
}

std::vector<std::vector<double>> ScriptedControl::gather(std::span<const double> values) {
  std::vector<std::vector<double>> all;
  for (const Words& words : *meet({.values = {values.begin(), values.end()}})) all.push_back(words.values);
  return all;
}

std::vector<std::string> ScriptedControl::gather_text(std::string_view text) {
  const MeetingPlace::AllWords words = meet({.text = std::string(text)});
  std::vector<std::string> all;
  for (std::size_t i = 0; rank() == 0 && i < words->size(); ++i) all.push_back((*words)[i].text);
  return all;
}

void ScriptedControl::send(int to, double value) {
  place_.send(rank(), to, {.at_ns = clock_.true_ns(), .values = {value}});
}

double ScriptedControl::receive(int from) {
  const Words words = place_.receive(from, rank());
  clock_.reach(words.at_ns + exchange_ns_);
  return words.values[0];
}

}  // namespace stash
