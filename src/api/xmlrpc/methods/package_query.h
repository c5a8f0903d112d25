#pragma once

#include "services/content/package_row.h"

#include <string>
#include <string_view>
#include <vector>

namespace muster::xmlrpc_api {

// A package search in the syntax of clients: terms such as `name:kernel*` with AND, OR (optional)
// and NOT; AND binds closer. Fields: name, epoch, version, release, arch, summary, description (the
// summary). A term without a field matches a part of name or summary. `*` and `?` are wildcards.
// Case is ignored.
class package_query {
public:
    static constexpr std::size_t text_bytes_max = 1024;
    static constexpr std::size_t terms_max = 32;

    // errc::invalid describes the error.
    static result<package_query> parse(std::string_view text);

    bool matches(const content::stored_package& package) const;

private:
    struct term {
        std::string field;
        std::string pattern;  // small letters
        bool negated = false;
    };

    static result<term> parse_term(const std::string& word);
    static bool matches(const term& term, const content::stored_package& package);

    std::vector<std::vector<term>> any_of_;  // of each, all
};

// Whether a text matches a pattern with `*` and `?`.
bool matches_pattern(std::string_view text, std::string_view pattern);

}  // namespace muster::xmlrpc_api
