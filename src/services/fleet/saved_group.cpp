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

result<saved_group> decode_group(const table::row& row) {
    table::row_reader reader(saved_groups_table, row);
    saved_group group;
    group.name = reader.take<std::string>("name");
    group.definition = reader.take<std::string>("definition");
    group.description = reader.take<std::string>("description");
    group.version = reader.take_from("version", 1, std::numeric_limits<std::int64_t>::max());
    group.changed_by = reader.take<std::string>("changed_by");
    group.changed = reader.take<wall_time>("changed");
    static_cast<void>(reader.take_sequence());
    CHECK_OK(reader.finish());
    return group;
}

}  // namespace muster::fleet
