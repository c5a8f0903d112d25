// Every way to call every method, with arguments that are as it declares them, made from the
// declaration.

#include "api/operations/json_value.h"
#include "base/iso_time.h"
#include "tests/fixtures/api/xmlrpc_fixture.h"

#include <boost/json.hpp>

#include <algorithm>

namespace muster::xmlrpc_api {
namespace {

using namespace test;
using access::right;
using api::shape;
using api::value;

constexpr const char* some_time = "2026-11-16T22:00:00Z";

// Something good, as small as it may be.
value good_for(const shape& desired) {
    using kind = shape::kind;
    switch (desired.what()) {
        case kind::flag:
            return true;
        case kind::integer:
            return std::max(desired.least(), std::min<std::int64_t>(desired.most(), 1));
        case kind::number:
            return 1.0;
        case kind::time:
            return *parse_iso_time(some_time);
        case kind::bytes:
            return value::bytes{std::string(static_cast<std::size_t>(desired.least()), 'x')};
        case kind::list:
            return value::list(
                std::max<std::size_t>(1, static_cast<std::size_t>(desired.least())),
                good_for(desired.element()));
        case kind::map:
            return value::record();
        case kind::record: {
            value::record record;
            for (const auto& member : desired.members())
                if (member.required) record.push_back({member.name, good_for(member.of)});
            return record;
        }
        case kind::anything:
        case kind::text:
            break;
    }
    if (!desired.choices().empty()) return desired.choices().front();
    std::string result = "sample";
    const auto least = static_cast<std::size_t>(desired.least());
    if (desired.what() == kind::text && result.size() < least) result.resize(least, 'x');
    return result;
}

value::record good_arguments(const method& method) {
    value::record record;
    for (const auto& take : method.operation.takes)
        record.push_back({take.name, good_for(take.of)});
    return record;
}

api::caller admin_of(const xmlrpc_fixture& fixture, const std::string& zone) {
    const auto all = access::all_rights();
    api::caller caller{people::identity{.user = "somebody"}, fixture.api_context, "192.0.2.7"};
    caller.may = access::permissions(
        {{.role = "all", .zone = zone}},
        access::roles{{"all", access::rights(all.begin(), all.end())}});
    return caller;
}

template <class Visit>
void for_every_way(const xmlrpc_fixture& fixture, Visit visit) {
    for (const auto& [name, ways] : fixture.api.methods().all()) {
        for (const auto* way : ways) visit(name, *way);
    }
}

async<std::size_t> count_of(method_response response) {
    std::size_t count = 0;
    while (response.items) {
        CO_TRY(const auto page, co_await response.items());
        if (page.empty()) break;
        count += page.size();
    }
    co_return count;
}

// As the check of arguments by their declaration puts it.
bool blames_kind(const std::string& response) {
    return (response.contains("expected ") && response.contains(" got "))
           || response.contains("`: required field is missing")
           || response.contains("`: unknown field");
}

TEST_CASE("no method breaks on arguments that are as it declares them, or finds them wrong") {
    const xmlrpc_fixture site;
    std::size_t done = 0;
    for_every_way(site, [&](const std::string& name, const method& method) {
        CAPTURE(name);
        CAPTURE(method.operation.takes.size());
        api::call call(method.operation, admin_of(site, ""), value(good_arguments(method)));
        auto input = run_sync(site.api.methods().perform(method, std::move(call)));
        const auto response = input ? run_sync(count_of(*std::move(input))) : fail(input.error());
        if (response) ++done;
        const auto code = response ? errc::invalid : response.error().code();
        const auto detail = response ? std::string() : std::string(response.error().detail());
        CAPTURE(detail);
        CHECK_FALSE(blames_kind(detail));
        CHECK(code != errc::corrupt);
        CHECK(code != errc::timed_out);
    });
    CHECK(done > 100);
}

TEST_CASE("a text that is longer than a method takes is refused by its argument's name") {
    const xmlrpc_fixture site;
    std::size_t refused = 0;
    for_every_way(site, [&](const std::string& name, const method& method) {
        for (const auto& take : method.operation.takes) {
            if (take.of.what() != shape::kind::text || !take.of.choices().empty()) continue;
            auto arguments = good_arguments(method);
            const auto place = std::ranges::find(arguments, take.name, &api::member::name);
            place->of = std::string(static_cast<std::size_t>(take.of.most()) + 1, 'x');
            CAPTURE(name);
            CAPTURE(take.name);
            api::call call(method.operation, admin_of(site, ""), value(std::move(arguments)));
            const auto input = run_sync(site.api.methods().perform(method, std::move(call)));
            REQUIRE_FALSE(input.has_value());
            CHECK(input.error().code() == errc::invalid);
            CHECK(input.error().detail().contains("`" + take.name + "`"));
            ++refused;
        }
    });
    CHECK(refused > 100);
}

TEST_CASE("what a method needs in the whole cluster, a right in one zone does not give") {
    const xmlrpc_fixture site;
    std::size_t refused = 0;
    for_every_way(site, [&](const std::string& name, const method& method) {
        if (method.operation.needed == right::none || method.operation.needed == right::self)
            return;
        CAPTURE(name);
        api::call call(method.operation, admin_of(site, "default"), value(good_arguments(method)));
        const auto input = run_sync(site.api.methods().perform(method, std::move(call)));
        const bool denied = !input && input.error().code() == errc::denied;
        if (method.operation.within == api::scope::cluster) {
            CHECK(denied);
            ++refused;
        }
    });
    CHECK(refused > 25);
}

TEST_CASE("nothing that a method shows in one zone is of another") {
    xmlrpc_fixture site;
    // far4 is number 4, in a zone of its own; whoever may do all elsewhere asks for it by name,
    // by number and for everything.
    for_every_way(site, [&](const std::string& name, const method& method) {
        if (method.operation.within == api::scope::cluster || method.operation.changes()) return;
        auto arguments = good_arguments(method);
        for (auto& argument : arguments) {
            if (argument.name == "sid") argument.of = 4;
            if (argument.name == "sids") argument.of = value::list{4};
            if (argument.name == "searchTerm" || argument.name == "regexp") argument.of = "far4";
        }
        CAPTURE(name);
        api::call call(method.operation, admin_of(site, "default"), value(std::move(arguments)));
        auto input = run_sync(site.api.methods().perform(method, std::move(call)));
        if (!input) {
            CHECK_FALSE(input.error().detail().contains("far4"));
            return;
        }
        std::string response = boost::json::serialize(api::to_json(input->content));
        while (input->items) {
            const auto some = run_sync(input->items());
            if (!some || some->empty()) break;
            for (const auto& one : *some) response += boost::json::serialize(api::to_json(one));
        }
        CHECK_FALSE(response.contains("far4"));
    });
}

// As it stands in a query; nothing for what cannot stand in one.
std::optional<std::string> in_query(const value& of) {
    if (const auto* const items = of.get<value::list>())
        return items->empty() ? std::string() : in_query(items->front());
    if (of.holds<value::record>() || of.holds<value::bytes>()) return std::nullopt;
    if (of.holds<wall_time>()) return some_time;
    if (const auto* const text = of.get<std::string>()) return *text;
    return boost::json::serialize(api::to_json(of));
}

TEST_CASE("every reading finds its form by the names in a query") {
    xmlrpc_fixture site;
    const auto key = site.log_in();
    const auto cookie = "pxt-session-cookie=" + key.substr(8, key.find('\n') - 8);
    for_every_way(site, [&](const std::string& name, const method& method) {
        if (method.operation.method != api::verb::get) return;
        auto path = "/rhn/manager/api/" + name;
        std::ranges::replace(path, '.', '/');
        char before = '?';
        for (const auto& one : good_arguments(method)) {
            const auto text = in_query(one.of);
            if (!text) return;
            path += before + one.name + "=" + *text;
            before = '&';
        }
        const auto answered = site.send("", {.path = path, .method = "GET", .cookie = cookie});
        CAPTURE(path);
        CAPTURE(answered.body);
        CHECK(answered.status != 400);
        CHECK(answered.status < 500);
    });
}

}  // namespace
}  // namespace muster::xmlrpc_api
