#include "stash/models/job_graph.h"

#include "stash/models/models.h"

namespace stash {

Graph graph_of(const Job& job) { return make_model(job.model, {.image_size = job.image_size, .seq_len = job.seq_len}); }

}  // namespace stash
