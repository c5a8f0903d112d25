#pragma once

#include "services/content/package_row.h"

#include <string>
#include <string_view>
#include <vector>

namespace muster::xmlrpc_api {

// A search for packages as clients write it: terms such as `name:kernel*`, with AND, OR (which may
// be left out) and NOT between; AND binds closer. Fields: name, epoch, version, release, arch,
// summary, description (which means the summary); without one, name or summary has the word in it.
// `*` and `?` stand for any signs; letters large or small are the same.
class package_query {
public:
    static constexpr std::size_t text_bytes_max = 1024;
    static constexpr std::size_t terms_max = 32;

    // errc::invalid names what is wrong.
    static result<package_query> parse(std::string_view text);

    bool matches(const content::stored_package& stored_package) const;

private:
    struct term {
        std::string field;
        std::string pattern;  // small letters
        bool negated = false;
    };

    static bool matches(const term& term, const content::stored_package& stored_package);

    std::vector<std::vector<term>> any_of_;  // of each, all
};

// Whether a text fits a pattern with `*` and `?`.
bool fits_pattern(std::string_view text, std::string_view pattern);

}  // namespace muster::xmlrpc_api
