#pragma once

#include <string>

#include "stash/share/sharing_plan.h"

namespace stash {

// One HTML document: the verdict, who gets how many workers, the rates beside the even split and the ceilings.
std::string render_sharing_html(const SharingPlan& plan);

}  // namespace stash
