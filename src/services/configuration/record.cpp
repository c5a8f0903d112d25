#include "services/configuration/record.h"

#include "core/table/row_reader.h"
#include "services/configuration/configuration_tables.h"

namespace muster::configuration {

table::row encode_record(const record& record) {
    return {
        record.kind,
        record.name,
        record.document,
        record.version,
        record.changed_by,
        record.changed};
}

result<record> decode_record(const table::row& cells) {
    table::row_reader in(config_records_table, cells);
    record read;
    read.kind = in.take<std::string>("kind");
    read.name = in.take<std::string>("name");
    read.document = in.take<std::string>("document");
    read.version = in.take<std::int64_t>("version");
    if (read.version < 1) in.mark_faulty("version");
    read.changed_by = in.take<std::string>("changed_by");
    read.changed = in.take<wall_time>("changed");
    in.take_sequence();
    CHECK_OK(in.finish());
    return read;
}

}  // namespace muster::configuration
