#include "stash/measure/serving/worker_binding.h"

#include <pybind11/stl.h>
#include <torch/csrc/jit/python/pybind_utils.h>
#include <torch/csrc/utils/pybind.h>

#include <map>

#include "stash/core/error.h"
#include "stash/measure/serving/callable_model.h"
#include "stash/measure/serving/device_parts.h"
#include "stash/measure/serving/network_model.h"
#include "stash/measure/serving/package_model.h"
#include "stash/measure/serving/program_model.h"
#include "stash/measure/serving/serve_worker.h"

namespace py = pybind11;

namespace stash {
namespace {

// Models are given to the worker, which keeps them.
struct ModelHolder {
  std::unique_ptr<BatchModel> model;
};

// (name, datatype, shape of a sample)
using TensorRow = std::tuple<std::string, std::string, std::vector<std::int64_t>>;

std::vector<ModelTensor> tensors_of(const std::vector<TensorRow>& rows) {
  std::vector<ModelTensor> made;
  for (const auto& [name, datatype, shape] : rows) {
    made.push_back({.name = name, .type = scalar_type_named(datatype), .shape = shape});
  }
  return made;
}

ProgramModel::Signature signature_of(const std::string& platform, const std::vector<TensorRow>& inputs,
                                     std::vector<std::string> outputs, int fixed_batch) {
  return {
      .platform = platform, .inputs = tensors_of(inputs), .outputs = std::move(outputs), .fixed_batch = fixed_batch};
}

// ("node", place), ("list", [argument…]) or ("value", object), of an argument of type `type`.
ProgramArgument argument_of(const py::handle& given, const c10::TypePtr& type) {
  const auto pair = py::cast<py::tuple>(given);
  const auto kind = pair[0].cast<std::string>();
  ProgramArgument argument;
  if (kind == "node") {
    argument.node = pair[1].cast<int>();
    return argument;
  }
  if (kind == "value") {
    argument.value = torch::jit::toIValue(pair[1], type);
    return argument;
  }
  c10::TypePtr list = type;
  if (const auto optional = list->cast<c10::OptionalType>()) list = optional->getElementType();
  argument.is_list = true;
  argument.element = list->expectRef<c10::ListType>().getElementType();
  // Sizes are numbers here.
  if (argument.element->kind() == c10::TypeKind::SymIntType) argument.element = c10::IntType::get();
  for (const py::handle item : py::cast<py::list>(pair[1])) {
    argument.items.push_back(argument_of(item, argument.element));
  }
  return argument;
}

ProgramStep step_named(const std::string& name) {
  static const std::map<std::string, ProgramStep> kSteps{
      {"getitem", ProgramStep::item}, {"add", ProgramStep::add},         {"sub", ProgramStep::subtract},
      {"mul", ProgramStep::multiply}, {"floordiv", ProgramStep::divide}, {"mod", ProgramStep::remainder},
      {"neg", ProgramStep::negate}};
  return kSteps.at(name);
}

// (name, overload, arguments); arithmetic has no overload.
ProgramNode node_of(const py::handle& given) {
  const auto row = py::cast<py::tuple>(given);
  const auto name = row[0].cast<std::string>(), overload = row[1].cast<std::string>();
  const auto arguments = py::cast<py::list>(row[2]);
  ProgramNode node;
  if (name.find("::") == std::string::npos) {
    node.step = step_named(name);
    for (const py::handle one : arguments) node.arguments.push_back(argument_of(one, c10::IntType::get()));
    return node;
  }
  node.op = c10::Dispatcher::singleton().findSchemaOrThrow(name.c_str(), overload.c_str());
  const auto& expected = node.op->schema().arguments();
  std::size_t place = 0;
  for (const py::handle one : arguments) {
    node.arguments.push_back(argument_of(one, expected.at(place).real_type()));
    ++place;
  }
  return node;
}

std::unique_ptr<BatchModel> program_of(ProgramModel::Signature signature, const py::list& nodes,
                                       const py::list& outputs) {
  std::vector<ProgramNode> made;
  for (const py::handle node : nodes) made.push_back(node_of(node));
  std::vector<ProgramArgument> given;
  for (const py::handle output : outputs) given.push_back(argument_of(output, c10::TensorType::get()));
  return std::make_unique<ProgramModel>(std::move(signature), std::move(made), std::move(given));
}

py::dict parameters_of(const ModelHolder& holder) {
  py::dict found;
  const auto* const network = dynamic_cast<const NetworkModel*>(holder.model.get());
  for (std::size_t i = 0; network != nullptr && i < network->graph().layers.size(); ++i) {
    const Layer& layer = network->graph().layers[i];
    for (std::size_t k = 0; k < layer.parameters.size(); ++k) {
      found[py::str(layer.parameters[k].name)] = network->layer_tensors()[i].parameters[k];
    }
  }
  return found;
}

py::list tensor_rows(const std::vector<WorkerTensor>& tensors) {
  py::list rows;
  for (const WorkerTensor& one : tensors) {
    py::dict row;
    row["name"] = one.name;
    row["datatype"] = one.datatype;
    row["shape"] = one.shape;
    row["at"] = one.at;
    rows.append(row);
  }
  return rows;
}

py::list time_rows(const std::vector<WorkerTime>& times) {
  py::list rows;
  for (const WorkerTime& one : times) {
    py::dict time;
    time["batch"] = one.batch;
    time["s"] = one.s;
    rows.append(time);
  }
  return rows;
}

// (stream, torch's number for it)
using StreamRow = std::tuple<std::uintptr_t, std::int64_t>;

// As the server reads it; Python adds what it knows.
py::dict ready_row(const WorkerReady& ready) {
  py::dict row;
  row["platform"] = ready.platform;
  row["inputs"] = tensor_rows(ready.inputs);
  row["outputs"] = tensor_rows(ready.outputs);
  row["times"] = time_rows(ready.times);
  row["most_batch"] = ready.most_batch;
  row["board_bytes"] = ready.board_bytes;
  row["pageable_shift"] = ready.pageable_shift;
  py::list part_times;
  for (const WorkerPartTimes& part : ready.part_times) {
    py::dict one;
    one["parts"] = part.parts;
    one["times"] = time_rows(part.times);
    part_times.append(one);
  }
  row["part_times"] = part_times;
  return row;
}

class BoundWorker {
 public:
  BoundWorker(ModelHolder& holder, const std::string& device, int most_batch, int board_fd, int arena_fd,
              std::int64_t arena_bytes, int order_fd, int done_fd, const StreamRow& stream, bool uses_graphs,
              bool divides_device)
      : worker_(std::move(holder.model), device, most_batch, board_fd, arena_fd, arena_bytes, order_fd, done_fd,
                {reinterpret_cast<void*>(std::get<0>(stream)), std::get<1>(stream)}, uses_graphs, divides_device) {}

  py::dict prepare(double measure_s) {
    WorkerReady ready;
    {
      const py::gil_scoped_release no_interpreter;
      ready = worker_.prepare(measure_s);
    }
    return ready_row(ready);
  }
  void run() {
    const py::gil_scoped_release no_interpreter;
    worker_.run();
  }

 private:
  ServeWorker worker_;
};

}  // namespace

void bind_worker(py::module_& module) {
  module.def("device_parts", [](const std::string& device) { return DeviceParts(c10::Device(device)).count(); });
  py::class_<ModelHolder>(module, "ServedModel", "A model for a worker, which takes it.")
      .def_static(
          "network",
          [](const std::string& network, const std::string& dtype, const std::string& device, std::uint64_t seed) {
            const py::gil_scoped_release no_interpreter;
            return ModelHolder{std::make_unique<NetworkModel>(network, dtype, c10::Device(device), seed)};
          })
      .def_static("program",
                  [](const std::string& platform, const std::vector<TensorRow>& inputs, std::vector<std::string> names,
                     int fixed_batch, const py::list& nodes, const py::list& outputs) {
                    return ModelHolder{
                        program_of(signature_of(platform, inputs, std::move(names), fixed_batch), nodes, outputs)};
                  })
      .def_static("package",
                  [](const std::string& file, const std::string& device, const std::string& platform,
                     const std::vector<TensorRow>& inputs, std::vector<std::string> names, int fixed_batch) {
                    return ModelHolder{load_package(file, c10::Device(device),
                                                    signature_of(platform, inputs, std::move(names), fixed_batch))};
                  })
      .def_static("callable",
                  [](py::object callable, const std::string& platform, const std::vector<TensorRow>& inputs,
                     std::vector<std::string> names, int fixed_batch) {
                    return ModelHolder{std::make_unique<CallableModel>(
                        std::move(callable), platform, tensors_of(inputs), std::move(names), fixed_batch)};
                  })
      .def("parameters", &parameters_of)
      .def("run", [](ModelHolder& holder, const std::vector<at::Tensor>& inputs) {
        const py::gil_scoped_release no_interpreter;
        const at::NoGradGuard no_grad;
        return holder.model->run(inputs);
      });
  py::class_<BoundWorker>(module, "ServeWorker", "Works on the batches that a server orders.")
      .def(py::init<ModelHolder&, const std::string&, int, int, int, std::int64_t, int, int, const StreamRow&, bool,
                    bool>())
      .def("prepare", &BoundWorker::prepare)
      .def("run", &BoundWorker::run);
}

}  // namespace stash
