#pragma once

#include <string>

#include "stash/study/communication_study.h"

namespace stash {

// How layers and gradients drive the communication stall, as one HTML file.
std::string render_study_html(const CommunicationStudy& study);

}  // namespace stash
