#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace stash {

// The small data sets that are made for jobs that bring none, by the names of their files.
std::string usual_images_name(std::int64_t images);
std::string usual_tokens_name(std::int64_t vocabulary, std::int64_t tokens);

// True where a job's data is one of these, on whichever machine: the size of an epoch cannot be told from it.
bool is_usual_dataset(const std::filesystem::path& data);

}  // namespace stash
