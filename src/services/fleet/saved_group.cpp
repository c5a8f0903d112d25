#include "services/fleet/saved_group.h"

#include "core/table/row_reader.h"
#include "services/fleet/fleet_tables.h"

#include <limits>

namespace muster::fleet {

table::row encode_group(const saved_group& group) {
    return {
        group.name,
        group.definition,
        group.description,
        group.version,
        group.changed_by,
        group.changed};
}

result<saved_group> decode_group(const table::row& cells) {
    table::row_reader in(saved_groups_table, cells);
    saved_group read;
    read.name = in.take<std::string>("name");
    read.definition = in.take<std::string>("definition");
    read.description = in.take<std::string>("description");
    read.version = in.take_from("version", 1, std::numeric_limits<std::int64_t>::max());
    read.changed_by = in.take<std::string>("changed_by");
    read.changed = in.take<wall_time>("changed");
    static_cast<void>(in.take_sequence());
    CHECK_OK(in.finish());
    return read;
}

}  // namespace muster::fleet
