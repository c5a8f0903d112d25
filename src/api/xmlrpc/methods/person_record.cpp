#include "api/xmlrpc/methods/person_record.h"

#include "runtime/json/record_reader.h"

#include <boost/json.hpp>

#include <optional>
#include <utility>

namespace muster::xmlrpc_api {
namespace {

namespace json = boost::json;

std::string encode(const person_record& what) {
    if (what == person_record()) return {};
    return json::serialize(json::object{
        {"prefix", what.prefix},
        {"assigned_groups", runtime::stored_list(what.assigned_groups)},
        {"default_groups", runtime::stored_list(what.default_groups)}});
}

result<person_record> decode(const std::string& document) {
    TRY(auto all, runtime::json_record_reader::of("person", document));
    person_record read{
        .prefix = all.text("prefix"),
        .assigned_groups = all.list("assigned_groups"),
        .default_groups = all.list("default_groups")};
    return all.finish(std::move(read));
}

}  // namespace

person_record person_named(const configuration::record_book& kept, const std::string& user) {
    const auto found = kept.find(configuration::kinds::person, user);
    if (!found) return {};
    auto read = decode(found->document);
    return read ? *std::move(read) : person_record();
}

async<void> change_person(
    configuration::record_book& kept, std::string user, std::string by, person_change how) {
    CO_CHECK_OK(co_await kept.alter(
        {.kind = std::string(configuration::kinds::person), .name = std::move(user), .by = std::move(by)},
        [how = std::move(how)](const std::string* now) -> result<std::optional<std::string>> {
            person_record next;
            if (now != nullptr) {
                TRY(next, decode(*now));
            }
            how(next);
            return encode(next);
        }));
    co_return result<void>();
}

}  // namespace muster::xmlrpc_api
