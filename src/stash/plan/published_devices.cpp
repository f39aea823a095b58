#include "stash/plan/published_devices.h"

#include <algorithm>
#include <array>

#include "stash/core/words.h"

namespace stash {
namespace {

constexpr double kGibibyte = 1024.0 * 1024 * 1024;
constexpr std::string_view kAccPar = "Song et al., \"AccPar\", HPCA 2020: a board of four chips";

constexpr std::array kPublished{
    PublishedDevice{"TPUv2", 180e12, 64 * kGibibyte, 2400e9, 1e9, kAccPar},
    PublishedDevice{"TPUv3", 420e12, 128 * kGibibyte, 4800e9, 2e9, kAccPar},
};

}  // namespace

std::span<const PublishedDevice> published_devices() { return kPublished; }

const PublishedDevice* find_published_device(std::string_view name) {
  const auto same = [wanted = lower_case(name)](const PublishedDevice& device) {
    return lower_case(device.name) == wanted;
  };
  const auto found = std::ranges::find_if(kPublished, same);
  return found == kPublished.end() ? nullptr : &*found;
}

}  // namespace stash
