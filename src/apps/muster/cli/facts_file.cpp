#include "apps/muster/cli/facts_file.h"

#include "apps/muster/cli/document.h"
#include "services/fleet/fact_texts.h"

#include <boost/json.hpp>

namespace muster::cli {

result<std::vector<targeting::fact>> read_facts_text(std::string_view text) {
    TRY(const auto read, read_document(text, scalar_mode::texts));
    const auto* const members = read.if_object();
    if (members == nullptr)
        return fail(
            errc::invalid,
            "invalid facts; expected a mapping of names to values, such as os: Debian");
    return fleet::to_fact_texts(*members);
}

result<std::vector<targeting::fact>> read_facts_file(const std::filesystem::path& file) {
    TRY(const auto text, read_text_file(file));
    auto read = read_facts_text(text);
    if (!read) return fail(read.error().with_context(file.string()));
    return read;
}

}  // namespace muster::cli
