#pragma once

#include <string>
#include <vector>

namespace stash {

// Runs a program of a cluster, never through a shell, and returns what it printed. Error with what it said where it is
// missing, fails, or does not end within half a minute.
std::string run_cluster_command(const std::vector<std::string>& arguments);

// A name that clusters take: a to z, 0 to 9 and '-', up to 50 characters. "stash-resnet50-g4dn-xlarge", "...-spot".
std::string cluster_name(const std::string& model, const std::string& machine, bool spot);
std::string label_value(const std::string& text);  // up to 63 characters: letters, digits, '-', '_', '.'

}  // namespace stash
