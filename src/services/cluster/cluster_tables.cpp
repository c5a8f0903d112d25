#include "services/cluster/cluster_tables.h"

#include <optional>
#include <string>

namespace muster::cluster {
namespace {

using table::column;
using table::column_type;

table::definition cluster_definition() {
    return {
        .name = std::string(cluster_table),
        .columns =
            {column{.name = "singleton", .type = column_type::integer},  // always 1
             column{.name = "id", .type = column_type::text},
             column{.name = "made", .type = column_type::time}},
        .key = {"singleton"},
        .partition = std::nullopt,
    };
}

}  // namespace

std::vector<table::step> cluster_tables() {
    return {table::create_table{cluster_definition()}};
}

}  // namespace muster::cluster
