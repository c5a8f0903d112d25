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

// What Salt has one value of and muster a branch with several: of `os:d*` nobody means
// os.description.
bool is_branch(std::string_view grain) {
    return std::ranges::any_of(other_names, [grain](const other_name& each) {
        return each.grain == grain && each.path.size() > grain.size()
               && each.path.starts_with(grain) && each.path[grain.size()] == '.';
    });
}

}  // namespace

bool is_grain_name(std::string_view word) {
    return std::ranges::any_of(
        other_names, [word](const other_name& each) { return each.grain == word; });
}

result<fact_condition> make_fact_condition(
    std::string_view expression, std::string_view delimiter, value_language language) {
    fact_condition made;
    const auto end = expression.find(delimiter);
    const auto key = folded(expression.substr(0, end));
    const auto keys = is_branch(key) ? keys_below::by_name : keys_below::by_pattern;
    TRY(auto as_written, fact_pattern::make(expression, delimiter, language, keys));
    made.any_of.push_back(std::move(as_written));
    if (end == std::string_view::npos) return made;
    for (const auto& each : other_names) {
        if (each.grain != key || each.path == key) continue;
        if (!each.behind.empty() && language == value_language::regex) continue;
        std::string there(each.path);
        there += expression.substr(end);
        there += each.behind;
        TRY(auto test, fact_pattern::make(there, delimiter, language));
        made.any_of.push_back(std::move(test));
    }
    return made;
}

}  // namespace muster::targeting
