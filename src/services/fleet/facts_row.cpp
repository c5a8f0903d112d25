#include "services/fleet/facts_row.h"

#include "core/table/row_reader.h"
#include "services/fleet/fleet_tables.h"
#include "services/fleet/system_row.h"

namespace muster::fleet {

table::row encode_facts(const stored_facts& facts) {
    return {key_cell(facts.print), facts.document, table::blob{facts.digest}, facts.changed};
}

result<stored_facts> decode_facts(const table::row& row) {
    table::row_reader reader(facts_table, row);
    stored_facts facts{
        .print = read_fingerprint(reader),
        .document = reader.take<std::string>("document"),
        .digest = reader.take<table::blob>("digest").content,
        .changed = reader.take<wall_time>("changed")};
    static_cast<void>(reader.take_sequence());
    CHECK_OK(reader.finish());
    return facts;
}

}  // namespace muster::fleet
