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

// What has a name here and a number for clients of the compatible API.
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

// Numbers of 31 bits for things that have names: one for each name, given when it is first asked
// for, on whichever server, and never to another (docs/adr/0017). Beside it stands a mark, which
// only grows. Thread-safe.
class numeric_id_store {
public:
    static constexpr std::int64_t number_max = INT32_MAX;  // what every client can send back

    numeric_id_store(muster::ledger& ledger, muster::metastore& metastore, std::int64_t range = 100)
        : ledger_(ledger), metastore_(metastore), range_(range) {}

    // In the order of the names; those that have no number get one. No name may stand twice.
    async<std::vector<numeric_id>> number_all(std::string kind, std::vector<std::string> names);
    async<numeric_id> number(std::string kind, std::string name);
    // errc::not_found
    async<numeric_id> find(std::string kind, std::int64_t number);

    // Numbers for what has no name yet, in a row or not; give_name() tells it.
    async<std::vector<std::int64_t>> take(std::string kind, std::size_t count);
    async<void> give_name(std::string kind, std::vector<numeric_id> named);

    // Marks that are as large already stay.
    async<void> set_marks(std::string kind, std::vector<numeric_id> marked);

private:
    async<std::map<std::string, numeric_id>> read(std::string kind, std::vector<std::string> names);
    async<std::int64_t> largest(std::string kind);
    async<void> reserve(std::string kind, std::size_t count);

    ledger& ledger_;
    metastore& metastore_;
    std::int64_t range_;
    std::mutex guard_;
    std::map<std::string, std::deque<std::int64_t>> held_;  // by kind
};

// Lets go of the numbers of all names of a kind that sort before this one.
async<void> forget_numbers_before(muster::ledger& ledger, std::string kind, std::string name);

}  // namespace muster::compatibility
