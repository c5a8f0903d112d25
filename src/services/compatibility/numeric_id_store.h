#pragma once

#include "ports/ledger.h"
#include "ports/metastore.h"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace muster::compatibility {

// Kinds of objects that have a name here and a number for clients of the compatible API.
namespace numbered {
inline constexpr std::string_view action = "action";  // a job by its id, or a step: "ID/2"
inline constexpr std::string_view group = "group";
inline constexpr std::string_view user = "user";
inline constexpr std::string_view recurring = "recurring";      // schedules
inline constexpr std::string_view calendar = "calendar";        // of windows
inline constexpr std::string_view maintenance = "maintenance";  // schedules of windows
}  // namespace numbered

struct numeric_id {
    std::string name;
    std::int64_t number = 0;
    std::int64_t mark = 0;

    friend bool operator==(const numeric_id&, const numeric_id&) = default;
};

// Assigns 31-bit numbers to names: one per name, allocated on first use on any server, and never
// reused (docs/adr/0017). Each has a mark, which only grows. Thread-safe.
class numeric_id_store {
public:
    static constexpr std::int64_t number_max = INT32_MAX;  // the largest that every client supports

    numeric_id_store(muster::ledger& ledger, muster::metastore& metastore, std::int64_t range = 100)
        : ledger_(ledger), metastore_(metastore), range_(range) {}

    // Returns numbers in the order of the names and allocates missing ones. Names must be unique.
    async<std::vector<numeric_id>> number_all(std::string kind, std::vector<std::string> names);
    async<numeric_id> number(std::string kind, std::string name);
    // errc::not_found
    async<numeric_id> find(std::string kind, std::int64_t number);

    // Reserves numbers for objects without a name yet; set_names() assigns the names.
    async<std::vector<std::int64_t>> allocate(std::string kind, std::size_t count);
    async<void> set_names(std::string kind, std::vector<numeric_id> ids);

    // Larger or equal marks stay.
    async<void> set_marks(std::string kind, std::vector<numeric_id> ids);

private:
    async<std::map<std::string, numeric_id>> read(std::string kind, std::vector<std::string> names);
    async<std::int64_t> find_largest(std::string kind);
    async<void> reserve(std::string kind, std::size_t count);

    ledger& ledger_;
    metastore& metastore_;
    std::int64_t range_;
    std::mutex mutex_;
    std::map<std::string, std::deque<std::int64_t>> reserved_;  // by kind
};

// Erases the numbers of all names of a kind that sort before this one.
async<void> erase_numbers_before(muster::ledger& ledger, std::string kind, std::string name);

}  // namespace muster::compatibility
