#include "stash/input/upcoming.h"

#include <fcntl.h>

#include "stash/input/pages/page_cache.h"
#include "stash/input/sample_reader.h"

namespace stash {

namespace {

PageRange pages_of(const SampleFile& file) { return {file.fd(), file.offset_bytes(), file.bytes()}; }

}  // namespace

template <class Action>
void UpcomingPages::for_each_file(Action action) const {
  SampleLocation location;
  for (std::int64_t position = positions_.begin; position < positions_.end; ++position) {
    dataset_.locate(sampler_.index_at(position), location);
    try {
      action(SampleFile(location));
    } catch (const BrokenSample&) {
      // The worker that comes to it counts and names it.
    }
  }
}

void UpcomingPages::evict() const {
  // A token file is evicted whole: the kernel keeps large pieces of a file of which only a part is to go.
  const bool whole = dataset_.kind() == InputKind::tokens;
  bool done = false;
  for_each_file([&](const SampleFile& file) {
    if (!done) evict_pages(whole ? PageRange{file.fd()} : pages_of(file));
    done = whole;
  });
}

void UpcomingPages::load() const {
  // Asking for all of them first lets the storage work on many at a time.
  for_each_file(
      [](const SampleFile& file) { posix_fadvise(file.fd(), file.offset_bytes(), file.bytes(), POSIX_FADV_WILLNEED); });
  for_each_file([](const SampleFile& file) { load_pages(pages_of(file)); });
}

std::optional<double> UpcomingPages::cached_ratio() const {
  PageCount sum;
  bool told = true;
  for_each_file([&](const SampleFile& file) {
    const std::optional<PageCount> count = count_pages(pages_of(file));
    told = told && count.has_value();
    sum.cached += count ? count->cached : 0;
    sum.total += count ? count->total : 0;
  });
  if (!told || sum.total == 0) return std::nullopt;
  return static_cast<double>(sum.cached) / static_cast<double>(sum.total);
}

}  // namespace stash
