#include "services/fleet/facts_row.h"

#include "core/table/row_reader.h"
#include "services/fleet/fleet_tables.h"
#include "services/fleet/system_row.h"

namespace muster::fleet {

table::row encode_facts(const stored_facts& facts) {
    return {key_cell(facts.print), facts.document, table::blob{facts.digest}, facts.changed};
}

result<stored_facts> decode_facts(const table::row& cells) {
    table::row_reader in(facts_table, cells);
    stored_facts read{
        .print = take_print(in),
        .document = in.take<std::string>("document"),
        .digest = in.take<table::blob>("digest").content,
        .changed = in.take<wall_time>("changed")};
    static_cast<void>(in.take_sequence());
    CHECK_OK(in.finish());
    return read;
}

}  // namespace muster::fleet
