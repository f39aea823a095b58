#pragma once

#include <array>
#include <memory>
#include <string_view>

#include "stash/fleet/live/fleet_provider.h"
#include "stash/fleet/live/provider_setup.h"

namespace stash {

inline constexpr std::array<std::string_view, 4> kFleetProviders{"local", "kubernetes", "skypilot", "scripted"};

// UsageError names the nearest of kFleetProviders; Error says what it lacks here.
std::unique_ptr<FleetProvider> make_fleet_provider(std::string_view name, const ProviderSetup& setup);

}  // namespace stash
