#include "services/revision/revision_tables.h"

#include <string>

namespace muster::revision {

std::vector<table::step> revision_tables() {
    using table::column;
    using table::column_type;
    return {
        table::create_table{
            {.name = std::string(revisions_table),
             .columns =
                 {column{.name = "number", .type = column_type::integer},
                  column{.name = "document", .type = column_type::text},  // a JSON object
                  column{.name = "entries", .type = column_type::text},   // a JSON array
                  // Written with replace_if_grows: of two who write a number the later one wins.
                  column{.name = "claimed", .type = column_type::integer}},
             .key = {"number"},
             .partition = std::nullopt}},
        table::create_table{
            {.name = std::string(revision_contents_table),
             .columns =
                 {column{.name = "digest", .type = column_type::text},
                  column{.name = "content", .type = column_type::bytes}},
             .key = {"digest"},
             .partition = std::nullopt}}};
}

}  // namespace muster::revision
