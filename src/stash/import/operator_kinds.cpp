#include "stash/import/operator_kinds.h"

#include <algorithm>
#include <array>

namespace stash {
namespace {

using enum OperatorForm;

constexpr auto kOperators = std::to_array<KnownOperator>({
    {"aten::convolution", convolution, Op::conv2d, WorkClass::convolution},
    {"aten::_convolution", convolution, Op::conv2d, WorkClass::convolution},
    {"aten::linear", linear, Op::linear, WorkClass::matrix},
    {"aten::addmm", biased_product, Op::linear, WorkClass::matrix},
    {"aten::_addmm_activation", biased_product, Op::linear, WorkClass::matrix},
    {"aten::baddbmm", biased_product, Op::linear, WorkClass::matrix},
    {"aten::mm", product, Op::linear, WorkClass::matrix},
    {"aten::bmm", product, Op::linear, WorkClass::matrix},
    {"aten::matmul", product, Op::linear, WorkClass::matrix},
    {"aten::scaled_dot_product_attention", attention, Op::attention, WorkClass::attention},
    {"aten::_scaled_dot_product_flash_attention", attention, Op::attention, WorkClass::attention},
    {"aten::_scaled_dot_product_flash_attention_for_cpu", attention, Op::attention, WorkClass::attention},
    {"aten::_scaled_dot_product_efficient_attention", attention, Op::attention, WorkClass::attention},
    {"aten::_scaled_dot_product_cudnn_attention", attention, Op::attention, WorkClass::attention},
    {"aten::batch_norm", norm, Op::batch_norm, WorkClass::reduction},
    {"aten::native_batch_norm", norm, Op::batch_norm, WorkClass::reduction},
    {"aten::instance_norm", norm, Op::batch_norm, WorkClass::reduction},
    {"aten::layer_norm", norm, Op::layer_norm, WorkClass::reduction},
    {"aten::native_layer_norm", norm, Op::layer_norm, WorkClass::reduction},
    {"aten::group_norm", norm, Op::layer_norm, WorkClass::reduction},
    {"aten::rms_norm", norm, Op::layer_norm, WorkClass::reduction},
    {"aten::relu", unary, Op::relu},
    {"aten::relu_", unary, Op::relu},
    {"aten::leaky_relu", unary, Op::relu},
    {"aten::leaky_relu_", unary, Op::relu},
    {"aten::hardtanh", unary, Op::relu6},
    {"aten::hardtanh_", unary, Op::relu6},
    {"aten::relu6", unary, Op::relu6},
    {"aten::gelu", unary, Op::gelu},
    {"aten::silu", unary, Op::silu},
    {"aten::silu_", unary, Op::silu},
    {"aten::hardswish", unary, Op::silu},
    {"aten::hardswish_", unary, Op::silu},
    {"aten::sigmoid", unary, Op::sigmoid},
    {"aten::sigmoid_", unary, Op::sigmoid},
    {"aten::tanh", unary, Op::tanh},
    {"aten::tanh_", unary, Op::tanh},
    {"aten::add", sum, Op::add},
    {"aten::add_", sum, Op::add},
    {"aten::max_pool2d", max_pool, Op::max_pool2d},
    {"aten::avg_pool2d", avg_pool, Op::avg_pool2d},
    {"aten::adaptive_avg_pool2d", adaptive_pool, Op::adaptive_avg_pool2d},
    {"aten::mean", space_mean, Op::mean_over_space, WorkClass::reduction},
    {"aten::embedding", embedding, Op::embedding},
    {"aten::dropout", dropout, Op::dropout},
    {"aten::dropout_", dropout, Op::dropout},
    {"aten::native_dropout", dropout, Op::dropout},
    {"aten::cross_entropy_loss", loss, Op::classification_loss, WorkClass::reduction},
    {"aten::nll_loss_nd", loss, Op::classification_loss, WorkClass::reduction},
    {"aten::nll_loss", loss, Op::classification_loss, WorkClass::reduction},
    {"aten::binary_cross_entropy_with_logits", loss, Op::classification_loss, WorkClass::reduction},
    {"aten::mse_loss", loss, Op::classification_loss, WorkClass::reduction},
    {"aten::l1_loss", loss, Op::classification_loss, WorkClass::reduction},
    {"aten::smooth_l1_loss", loss, Op::classification_loss, WorkClass::reduction},
    {"aten::kl_div", loss, Op::classification_loss, WorkClass::reduction},
    {"aten::to", cast, Op::other},
    {"aten::_to_copy", cast, Op::other},
    {"aten::softmax", other, Op::other, WorkClass::reduction},
    {"aten::_softmax", other, Op::other, WorkClass::reduction},
    {"aten::log_softmax", other, Op::other, WorkClass::reduction},
    {"aten::_log_softmax", other, Op::other, WorkClass::reduction},
    {"aten::sum", other, Op::other, WorkClass::reduction},
    {"aten::var", other, Op::other, WorkClass::reduction},
    {"aten::norm", other, Op::other, WorkClass::reduction},
    {"aten::linalg_vector_norm", other, Op::other, WorkClass::reduction},
    {"aten::cumsum", other, Op::other, WorkClass::reduction},
    {"aten::mul", other},
    {"aten::mul_", other},
    {"aten::sub", other},
    {"aten::sub_", other},
    {"aten::div", other},
    {"aten::div_", other},
    {"aten::pow", other},
    {"aten::rsqrt", other},
    {"aten::exp", other},
    {"aten::cat", other},
    {"aten::stack", other},
    {"aten::where", other},
    {"aten::masked_fill", other},
    {"aten::masked_fill_", other},
    {"aten::copy_", other},
    {"aten::gather", other},
    {"aten::index", other},
    {"aten::index_select", other},
});

constexpr auto kViews = std::to_array<std::string_view>({
    "aten::_nested_view",
    "aten::_reshape_alias",
    "aten::_unsafe_view",
    "aten::alias",
    "aten::as_strided",
    "aten::as_strided_",
    "aten::chunk",
    "aten::detach",
    "aten::detach_",
    "aten::diagonal",
    "aten::empty",
    "aten::empty_like",
    "aten::empty_strided",
    "aten::expand",
    "aten::expand_as",
    "aten::flatten",
    "aten::is_nonzero",
    "aten::item",
    "aten::lift_fresh",
    "aten::movedim",
    "aten::narrow",
    "aten::new_empty",
    "aten::permute",
    "aten::requires_grad_",
    "aten::resize_",
    "aten::resolve_conj",
    "aten::resolve_neg",
    "aten::result_type",
    "aten::select",
    "aten::set_",
    "aten::slice",
    "aten::split",
    "aten::split_with_sizes",
    "aten::squeeze",
    "aten::squeeze_",
    "aten::t",
    "aten::transpose",
    "aten::transpose_",
    "aten::unbind",
    "aten::unflatten",
    "aten::unfold",
    "aten::unsafe_split",
    "aten::unsqueeze",
    "aten::unsqueeze_",
    "aten::view",
    "aten::view_as",
    "aten::new_empty_strided",
    "aten::_local_scalar_dense",
    "aten::can_cast",
    "aten::randint",
    "aten::random_",
    "aten::is_pinned",
    "aten::pin_memory",
    "aten::_pin_memory",
    "aten::record_stream",
});

bool mentions(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

template <std::size_t N>
bool mentions_any(std::string_view text, const std::array<std::string_view, N>& parts) {
  return std::ranges::any_of(parts, [&](std::string_view part) { return mentions(text, part); });
}

constexpr std::array<std::string_view, 3> kAttentions{"attention", "flash_attn", "fmha"};
constexpr std::array<std::string_view, 2> kConvolutions{"convolution", "conv_"};
constexpr std::array<std::string_view, 5> kProducts{"mm", "aten::linear", "aten::matmul", "aten::dot", "aten::mv"};
constexpr std::array<std::string_view, 7> kReductions{"norm", "softmax",    "loss",      "sum",
                                                      "mean", "triton_red", "triton_per"};
constexpr std::array<std::string_view, 3> kNotOperators{"autograd::", "torch::autograd::", "c10d::"};

}  // namespace

const KnownOperator* find_operator(std::string_view name) {
  const auto found = std::ranges::find(kOperators, name, &KnownOperator::name);
  return found == kOperators.end() ? nullptr : &*found;
}

bool is_compiled_kernel(std::string_view name) { return name.starts_with("triton_"); }

bool moves_nothing(std::string_view name) {
  if (is_compiled_kernel(name)) return false;
  if (!mentions(name, "::") || name.starts_with("## ")) return true;  // ConvolutionBackward0, CompiledFunction, …
  const auto starts = [&](std::string_view part) { return name.starts_with(part); };
  if (std::ranges::any_of(kNotOperators, starts)) return true;
  return std::ranges::find(kViews, name) != kViews.end();
}

WorkClass class_of(std::string_view name) {
  if (mentions_any(name, kAttentions)) return WorkClass::attention;
  if (mentions_any(name, kConvolutions)) return WorkClass::convolution;
  if (const KnownOperator* known = find_operator(name)) return known->kind;
  if (mentions_any(name, kReductions)) return WorkClass::reduction;
  if (name.starts_with("aten::") && mentions_any(name, kProducts)) return WorkClass::matrix;
  return WorkClass::memory;
}

}  // namespace stash
