#include "stash/input/dataset/dataset.h"

#include "stash/input/dataset/image_folder.h"
#include "stash/input/dataset/token_file.h"

namespace stash {

std::shared_ptr<const Dataset> open_dataset(const std::filesystem::path& path, InputKind kind, int seq_len) {
  if (kind == InputKind::tokens) return std::make_shared<TokenFile>(path, seq_len);
  return std::make_shared<ImageFolder>(path);
}

}  // namespace stash
