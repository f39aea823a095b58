#include "stash/measure/team.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <future>
#include <thread>

#include "stash/core/clock.h"
#include "stash/core/error.h"
#include "stash/core/json_fields.h"
#include "stash/core/profile_json.h"

namespace stash {

template <class V, json_fields::FieldsOf<ShownGroup> T>
void fields(V& visit, T& group) {
  visit("id", group.id);
  visit("mesh", group.mesh);
  visit("description", group.description);
  visit("variable", group.variable);
  visit("is_default", group.is_default);
  visit("used_by", group.used_by);
  visit("ranks", group.ranks);
}

template <class V, json_fields::FieldsOf<Member> T>
void fields(V& visit, T& member) {
  visit("host", member.host);
  visit("node", member.node);
  visit("stash", member.stash);
  visit("torch", member.torch);
  visit("job", member.job);
  visit("reports_to", member.reports_to);
  visit("groups", member.groups);
}

namespace {

constexpr double kPoll_s = 0.05;
constexpr int kPollsPerBeat = 20;
constexpr double kArrivalDeadlines = 10;  // a host may have to build the library first
constexpr double kWord_s = 3;             // for others to notice a failure and leave word
constexpr std::size_t kMostNamed = 8;

std::vector<std::uint8_t> bytes_of(const std::string& text) { return {text.begin(), text.end()}; }
std::string text_of(const std::vector<std::uint8_t>& bytes) { return {bytes.begin(), bytes.end()}; }
std::string key(const char* what, int rank) { return fmt::format("stash/{}/{}", what, rank); }

std::string text_of(const Member& member) { return dump_json(json_fields::write(member)); }

Member member_from_text(const std::string& text) {
  Member member;
  json_fields::read(parse_json(text, "what a rank says of itself"), json_fields::Path{nullptr, "rank"}, member);
  return member;
}

}  // namespace

std::string Team::name(int rank) const {
  const auto place = static_cast<std::size_t>(rank);
  if (place >= places_.size() || places_[place].host.empty()) return fmt::format("rank {}", rank);
  return fmt::format("rank {} on {}", rank, places_[place].host);
}

std::string Team::names(const std::vector<int>& ranks) const {
  std::vector<std::string> list;
  for (const int rank : ranks) {
    if (list.size() < kMostNamed) list.push_back(name(rank));
  }
  const std::string more = ranks.size() > kMostNamed ? fmt::format(" and {} more", ranks.size() - kMostNamed) : "";
  return fmt::format("{}{}", fmt::join(list, ", "), more);
}

std::vector<int> Team::ranks_of_node(int node) const {
  std::vector<int> ranks;
  for (std::size_t rank = 0; rank < places_.size(); ++rank) {
    if (places_[rank].node == node) ranks.push_back(static_cast<int>(rank));
  }
  return ranks;
}

std::vector<int> Team::missing() {
  std::vector<int> ranks;
  for (int rank = 0; rank < size_; ++rank) {
    if (!store_->check({key("member", rank)})) ranks.push_back(rank);
  }
  return ranks;
}

// Error when a rank that had arrived has not shown for the deadline that it is still there.
void Team::check_beats(std::map<int, Arrival>& arrivals, double deadline_s) {
  const std::int64_t now = now_ns();
  for (int rank = 0; rank < size_; ++rank) {
    if (rank == rank_ || !store_->check({key("beat", rank)})) continue;
    const std::string beat = text_of(store_->get(key("beat", rank)));
    Arrival& arrival = arrivals[rank];
    if (beat != arrival.beat) arrival = {beat, now};
    if (seconds(now - arrival.seen_ns) <= deadline_s) continue;
    const Member member = member_from_text(text_of(store_->get(key("member", rank))));
    throw Error(fmt::format("rank {} on {} was here and fell silent while all waited for {}", rank, member.host,
                            names(missing())));
  }
}

// One number is asked for often; who is missing only when it takes long.
void Team::wait_for_all(double deadline_s, RankState& state) {
  const std::int64_t start_ns = now_ns();
  std::map<int, Arrival> arrivals;
  std::int64_t beats = 0;
  store_->add("stash/arrived", 1);
  for (std::int64_t polls = 0; store_->add("stash/arrived", 0) < size_; ++polls) {
    state.beat(Phase::waiting);
    if (polls % kPollsPerBeat == 0) {
      store_->set(key("beat", rank_), bytes_of(std::to_string(++beats)));
      check_beats(arrivals, deadline_s);
    }
    if (seconds(now_ns() - start_ns) > kArrivalDeadlines * deadline_s) {
      const std::vector<int> ranks = missing();
      throw Error(fmt::format("{} of {} ranks did not come within {:.0f} s: {}; check that their hosts reach rank 0's",
                              ranks.size(), size_, kArrivalDeadlines * deadline_s, names(ranks)));
    }
    sleep_until_ns(now_ns() + nanoseconds(kPoll_s));
  }
}

std::vector<Member> Team::read_members() {
  std::vector<std::string> keys;
  for (int rank = 0; rank < size_; ++rank) keys.push_back(key("member", rank));
  std::vector<Member> members;
  if (store_->hasExtendedApi()) {
    for (const auto& bytes : store_->multiGet(keys)) members.push_back(member_from_text(text_of(bytes)));
  } else {
    for (const std::string& one : keys) members.push_back(member_from_text(text_of(store_->get(one))));
  }
  return members;
}

void Team::check_alike(int rank, const Member& first, const Member& member) const {
  const auto check = [&](const char* what, const std::string& firsts, const std::string& its) {
    if (firsts == its) return;
    throw Error(fmt::format("{} has {} {} and {} has {} {}: install the same version on every host", name(0), what,
                            firsts, name(rank), what, its));
  };
  check("stash", first.stash, member.stash);
  check("torch", first.torch, member.torch);
  if (first.job == member.job) return;
  throw UsageError(fmt::format("{} was started with other flags than {}: start all ranks with the same command",
                               name(rank), name(0)));
}

void Team::take_members(const std::vector<Member>& members) {
  std::map<std::string, int> nodes;
  for (const Member& member : members) {
    const int node = nodes.try_emplace(member.node, static_cast<int>(nodes.size())).first->second;
    places_.push_back({.host = member.host, .node = node});
    groups_.push_back(member.groups);
    check_alike(static_cast<int>(places_.size()) - 1, members.front(), member);
  }
  const Member& first = members.front();
  const Member& own = members.at(static_cast<std::size_t>(rank_));
  reports_with_rank_0_ = own.node == first.node && own.reports_to == first.reports_to;
}

void Team::meet(const Member& own, double deadline_s, RankState& state) {
  if (size_ == 1) return take_members({own});
  store_->set(key("member", rank_), bytes_of(text_of(own)));
  wait_for_all(deadline_s, state);
  take_members(read_members());
}

Team::Reason Team::unreachable(const std::vector<int>& ranks) const {
  return {.message = fmt::format("{} cannot be reached any more: its process died, or a host is cut off", names(ranks)),
          .lost = ranks};
}

// Those that leave no word for a while cannot.
Team::Reason Team::hear_words() {
  std::vector<int> silent;
  const std::int64_t deadline_ns = now_ns() + nanoseconds(kWord_s);
  do {
    silent.clear();
    for (int rank = 0; rank < size_; ++rank) {
      if (rank == rank_) continue;
      if (!store_->check({key("word", rank)})) {
        silent.push_back(rank);
        continue;
      }
      const std::string word = text_of(store_->get(key("word", rank)));
      if (word.starts_with("own ")) return {.message = fmt::format("{}: {}", name(rank), word.substr(4)), .lost = {}};
    }
    sleep_until_ns(now_ns() + nanoseconds(kPoll_s));
  } while (!silent.empty() && now_ns() < deadline_ns);
  return silent.empty() ? Reason{} : unreachable(silent);
}

Team::Reason Team::part(const std::string& message, bool own) {
  // A store that is cut off answers never, not even that.
  auto answer = std::make_shared<std::promise<Reason>>();
  std::future<Reason> heard = answer->get_future();
  std::thread([this, answer, message, own] {
    try {
      store_->set(key("word", rank_), bytes_of((own ? "own " : "peer ") + message));
      answer->set_value(own ? Reason{} : hear_words());
    } catch (const std::exception&) {
      answer->set_value(rank_ == 0 ? Reason{} : unreachable({0}));
    }
  }).detach();
  const bool answered = heard.wait_for(std::chrono::duration<double>(2 * kWord_s)) == std::future_status::ready;
  return answered ? heard.get() : unreachable({0});
}

}  // namespace stash
