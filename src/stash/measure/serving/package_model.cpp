#include "stash/measure/serving/package_model.h"

#include "stash/core/error.h"

#if __has_include(<torch/csrc/inductor/aoti_package/model_package_loader.h>)
#include <torch/csrc/inductor/aoti_package/model_package_loader.h>
#endif

namespace stash {

#if __has_include(<torch/csrc/inductor/aoti_package/model_package_loader.h>)
namespace {

class PackageModel : public BatchModel {
 public:
  PackageModel(const std::string& file, c10::Device device, ProgramModel::Signature signature)
      : signature_(std::move(signature)), loader_(loader_of(file, device)) {}

  std::string platform() const override { return signature_.platform; }
  std::vector<ModelTensor> inputs() const override { return signature_.inputs; }
  std::vector<std::string> output_names() const override { return signature_.outputs; }
  int fixed_batch() const override { return signature_.fixed_batch; }
  std::vector<at::Tensor> run(const std::vector<at::Tensor>& inputs) override { return loader_->run(inputs); }

 private:
  using Loader = torch::inductor::AOTIModelPackageLoader;
  static std::unique_ptr<Loader> loader_of(const std::string& file, [[maybe_unused]] c10::Device device) {
#ifdef STASH_PACKAGE_TAKES_DEVICE
    return std::make_unique<Loader>(file, "model", false, 1, device.is_cpu() ? c10::DeviceIndex{-1} : device.index());
#else
    return std::make_unique<Loader>(file);
#endif
  }

  ProgramModel::Signature signature_;
  std::unique_ptr<Loader> loader_;
};

}  // namespace

std::unique_ptr<BatchModel> load_package(const std::string& file, c10::Device device,
                                         ProgramModel::Signature signature) {
  return std::make_unique<PackageModel>(file, device, std::move(signature));
}
#else
std::unique_ptr<BatchModel> load_package(const std::string& file, c10::Device, ProgramModel::Signature) {
  throw Error(file + ": this torch cannot load packages of AOTInductor; use torch 2.6 or newer");
}
#endif

}  // namespace stash
