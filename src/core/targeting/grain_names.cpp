#include "core/targeting/grain_names.h"

#include "core/targeting/fold.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

namespace muster::targeting {
namespace {

struct other_name {
    std::string_view grain;
    std::string_view path;         // the same among the facts of muster's agent
    std::string_view behind = {};  // what follows the value there
};

constexpr std::array<other_name, 29> other_names{
    {{"os", "os.id"},
     {"os", "os.name"},
     {"os_family", "os.id"},
     {"os_family", "os.like"},
     {"osfullname", "os.name"},
     {"osfinger", "os.description"},
     {"osrelease", "os.version"},
     {"osmajorrelease", "os.version"},
     {"osmajorrelease", "os.version", ".*"},
     {"oscodename", "os.codename"},
     {"lsb_distrib_codename", "os.codename"},
     {"lsb_distrib_id", "os.id"},
     {"lsb_distrib_release", "os.version"},
     {"kernel", "kernel.name"},
     {"kernelrelease", "kernel.release"},
     {"kernelversion", "kernel.version"},
     {"cpuarch", "cpu.arch"},
     {"osarch", "cpu.arch"},
     {"arch", "cpu.arch"},
     {"cpu_model", "cpu.model"},
     {"num_cpus", "cpu.count"},
     {"virtual", "virtual.type"},
     {"host", "hostname"},
     {"localhost", "hostname"},
     {"nodename", "fqdn"},
     {"ipv4", "addresses"},
     {"ipv6", "addresses"},
     {"fqdn", "fqdn"},
     {"machine_id", "machine_id"}}};

// A grain with one value in Salt that is a branch with several values here: `os:d*` must not match
// os.description.
bool is_branch(std::string_view grain) {
    return std::ranges::any_of(other_names, [grain](const other_name& other_name) {
        return other_name.grain == grain && other_name.path.size() > grain.size()
               && other_name.path.starts_with(grain) && other_name.path[grain.size()] == '.';
    });
}

}  // namespace

bool is_grain_name(std::string_view word) {
    return std::ranges::any_of(
        other_names, [word](const other_name& other_name) { return other_name.grain == word; });
}

result<fact_condition> make_fact_condition(
    std::string_view expression, std::string_view delimiter, value_language language) {
    fact_condition result;
    const auto end = expression.find(delimiter);
    const auto key = folded(expression.substr(0, end));
    const auto keys = is_branch(key) ? keys_below::by_name : keys_below::by_pattern;
    TRY(auto as_written, fact_pattern::make(expression, delimiter, language, keys));
    result.any_of.push_back(std::move(as_written));
    if (end == std::string_view::npos) return result;
    for (const auto& other_name : other_names) {
        if (other_name.grain != key || other_name.path == key) continue;
        if (!other_name.behind.empty() && language == value_language::regex) continue;
        std::string there(other_name.path);
        there += expression.substr(end);
        there += other_name.behind;
        TRY(auto test, fact_pattern::make(there, delimiter, language));
        result.any_of.push_back(std::move(test));
    }
    return result;
}

}  // namespace muster::targeting
