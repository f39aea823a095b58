#include "stash/models/listing.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "stash/core/error.h"
#include "stash/models/models.h"

namespace stash {
namespace {

using nlohmann::json;

TEST(Listing, JsonHasEveryModelWithItsFigures) {
  const json list = json::parse(format_models(summarize_models(), Format::json));
  EXPECT_EQ(list.at("schema_version"), 1);
  ASSERT_EQ(list.at("models").size(), model_table().size());
  for (const json& model : list.at("models")) {
    const Graph graph = make_model(model.at("name").get<std::string>());
    EXPECT_EQ(model.at("parameters"), graph.parameter_count());
    EXPECT_EQ(model.at("gradient_bytes"), 4 * graph.parameter_count());
    EXPECT_EQ(model.at("operations_per_sample"), graph.forward_ops());
    EXPECT_EQ(model.at("layers"), graph.layers.size());
  }
}

TEST(Listing, TextHasOneAlignedLinePerModel) {
  const std::vector<ModelSummary> models{{"a", "short", 5, 20, 1e9, 3}, {"longer", "long", 25'557'032, 4, 2.5e9, 12}};
  EXPECT_EQ(format_models(models, Format::text).substr(0, 18), "model   parameters");
  const std::string text = format_models(models, Format::text);
  EXPECT_EQ(std::ranges::count(text, '\n'), 3);
  EXPECT_NE(text.find("\na                5"), std::string::npos) << text;
  EXPECT_NE(text.find("\nlonger  25,557,032"), std::string::npos) << text;
}

TEST(Listing, CsvHasWholeNumbers) {
  const std::vector<ModelSummary> models{{"a", "of 1, 2", 5, 20, 8'178'000'000, 3}};
  EXPECT_EQ(format_models(models, Format::csv),
            "name,parameters,gradient_bytes,operations_per_sample,layers,description\n"
            "a,5,20,8178000000,3,\"of 1, 2\"\n");
}

TEST(Listing, LayersOfAModelSumToTheModel) {
  const Graph graph = make_model("resnet50");
  const json model = json::parse(format_layers(graph, Format::json));
  std::int64_t parameters = 0;
  double operations = 0;
  for (const json& layer : model.at("layers")) {
    parameters += layer.at("parameters").get<std::int64_t>();
    operations += layer.at("forward_operations").get<double>();
  }
  EXPECT_EQ(parameters, 25'557'032);
  EXPECT_EQ(operations, model.at("operations_per_sample"));
  EXPECT_EQ(model.at("layers").at(1).at("output"), json({64, 112, 112}));
}

TEST(Listing, LayersAreShownAsTextAndCsv) {
  const Graph graph = make_model("alexnet");
  const std::string text = format_layers(graph, Format::text);
  EXPECT_EQ(text.find("alexnet: 61,100,840 parameters"), 0u);
  EXPECT_NE(text.find("64x55x55"), std::string::npos);
  const std::string csv = format_layers(graph, Format::csv);
  EXPECT_NE(csv.find("\nclassifier.6,linear,1000,4097000,8192000,16384000,"), std::string::npos) << csv;
}

}  // namespace
}  // namespace stash
