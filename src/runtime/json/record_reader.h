#pragma once

#include "base/result.h"
#include "base/time.h"

#include <boost/json/object.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace muster::runtime {

// Reads the members of a stored JSON record by name. Ignores unknown members, which newer versions
// may add. Not thread-safe.
class json_record_reader {
public:
    // `kind` names the record in errors. errc::corrupt when the text is no JSON object.
    static result<json_record_reader> parse(std::string_view kind, std::string_view text);
    // The same for a record within another one.
    static result<json_record_reader> from_value(std::string_view kind, boost::json::value value);

    bool has(std::string_view name) const { return find(name) != nullptr; }

    // Required members. The first one that is missing or of another type makes the record corrupt;
    // finish() reports it.
    std::string text(std::string_view name);
    std::int64_t integer(std::string_view name);
    bool boolean(std::string_view name);
    wall_time time(std::string_view name);  // microseconds since 1970
    std::vector<std::string> list(std::string_view name);
    std::map<std::string, std::int64_t> counts(std::string_view name);  // an object of integers

    // Optional members. A member of another type counts as missing.
    std::string text_or_empty(std::string_view name) const;
    std::int64_t integer_or_zero(std::string_view name) const;
    bool boolean_or_false(std::string_view name) const;
    std::optional<wall_time> find_time(std::string_view name) const;
    std::vector<std::string> list_or_empty(std::string_view name) const;
    std::map<std::string, std::string> texts_or_empty(std::string_view name) const;  // an object
    const boost::json::array* find_array(std::string_view name) const;
    const boost::json::value* find(std::string_view name) const;  // of any type

    // For checks of the caller, such as the word of an enumeration.
    void mark_wrong(std::string_view name);

    template <class Record>
    result<Record> finish(Record record) const {
        CHECK_OK(check());
        return record;
    }

private:
    json_record_reader(std::string_view kind, boost::json::object members)
        : kind_(kind), members_(std::move(members)) {}

    result<void> check() const;

    std::string kind_;
    boost::json::object members_;
    std::string wrong_member_;
};

// Microseconds since 1970.
std::int64_t stored_time(wall_time time);
void put_time(
    boost::json::object& object, std::string_view name, const std::optional<wall_time>& time);

boost::json::array stored_list(const std::vector<std::string>& items);

}  // namespace muster::runtime
