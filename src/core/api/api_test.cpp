#include "core/api/operation.h"
#include "core/api/timed.h"

#include <doctest/doctest.h>

#include <algorithm>

using namespace muster;
using namespace muster::api;
using record = value::record;
using list = value::list;

namespace {

operation save_group() {
    return {
        .name = "groups.save",
        .summary = "Names an expression.",
        .method = verb::put,
        .path = "/api/v1/groups/{name}",
        .takes =
            {in_path("name", name()),
             in_body("expression", text(20)),
             optional_in_body("tags", list_of(text(8), 2)),
             optional_in_body("kind", text().with_choices({"static", "dynamic"})),
             in_query("limit", integer(1, 100))},
        .gives = record_of({required("name", name())}),
        .needed = access::right::groups_change};
}

std::string complaint(record arguments) {
    const auto checked = check_arguments(save_group(), value(std::move(arguments)));
    return checked ? "" : checked.error().detail();
}

}  // namespace

TEST_CASE("arguments that are as declared pass") {
    CHECK(complaint({{"name", "web"}, {"expression", "tag:web"}}).empty());
    CHECK(complaint({{"name", "web"},
                     {"expression", "tag:web"},
                     {"tags", list{"a", "b"}},
                     {"kind", "static"},
                     {"limit", 100}})
              .empty());
}

TEST_CASE("a complaint names the argument and says what is wanted") {
    CHECK(complaint({{"name", "web"}}) == "`expression`: required field is missing");
    CHECK(
        complaint({{"name", "web"}, {"expression", 7}})
        == "`expression`: expected a string, got an integer");
    CHECK(
        complaint({{"name", "web"}, {"expression", std::string(21, 'x')}})
        == "`expression`: at most 20 bytes allowed, got 21");
    CHECK(complaint({{"name", ""}, {"expression", "x"}}) == "`name`: at least 1 bytes required");
    CHECK(
        complaint({{"name", "web"}, {"expression", "x"}, {"tags", list{"a", 2}}})
        == "`tags[1]`: expected a string, got an integer");
    CHECK(
        complaint({{"name", "web"}, {"expression", "x"}, {"tags", list{"a", "b", "c"}}})
        == "`tags`: at most 2 items allowed, got 3");
    CHECK(
        complaint({{"name", "web"}, {"expression", "x"}, {"limit", 101}})
        == "`limit`: expected an integer from 1 to 100");
    CHECK(
        complaint({{"name", "web"}, {"expression", "x"}, {"kind", "odd"}})
        == "`kind`: expected one of static, dynamic; got \"odd\"");
    CHECK(
        complaint({{"name", "web"}, {"expression", "x"}, {"expresion", "y"}})
        == "`expresion`: unknown field");
    CHECK(
        complaint({{"name", "web"}, {"expression", std::string("a\0b", 3)}})
        == "`expression`: NUL characters are not allowed");
}

TEST_CASE("what stands in a query is read as declared") {
    CHECK(read("20", integer(1, 100), "limit").value() == value(20));
    CHECK(read("true", flag(), "all").value() == value(true));
    CHECK(read("a,b", list_of(text()), "tags").value() == value(list{"a", "b"}));
    CHECK(read("1.5", number(), "rate").value() == value(1.5));
    for (const auto* wrong : {"", "2x", "-1", "101", "9999999999999999999999"})
        CHECK_FALSE(read(wrong, integer(1, 100), "limit"));
    CHECK_FALSE(read("yes", flag(), "all"));
    CHECK_FALSE(read("nan", number(), "rate"));
}

TEST_CASE("a list in a query is read by what its items are, and times are found at any depth") {
    const auto numbers = list_of(integer(1));
    CHECK(read("1,22", numbers, "sids").value() == value(list{1, 22}));
    CHECK_FALSE(read("1,two", numbers, "sids").has_value());
    const auto planned = record_of({required("at", time()), optional("names", list_of(text()))});
    const auto input = record{{"at", "2026-11-16T22:00:00Z"}, {"names", list{"x"}}};

    const auto read_out = with_times(value(list{input}), list_of(planned));

    const auto* const found = read_out.get<list>()->front().find("at");
    CHECK(found->holds<wall_time>());
    CHECK(*read_out.get<list>()->front().find("names") == value(list{"x"}));
    CHECK(with_times(value("soon"), time()) == value("soon"));
}

TEST_CASE("a declaration whose path and parameters differ is refused") {
    CHECK(check_declaration(save_group()));
    auto missing = save_group();
    missing.takes.erase(missing.takes.begin());
    CHECK_FALSE(check_declaration(missing));
    auto with_body = save_group();
    with_body.method = verb::get;
    CHECK_FALSE(check_declaration(with_body));
    auto twice = save_group();
    twice.takes.push_back(in_query("limit", flag()));
    CHECK_FALSE(check_declaration(twice));
}

TEST_CASE("the document tells parameters, body, answers and the right of an operation") {
    const auto document =
        openapi({save_group()}, {.title = "Muster", .version = "1", .description = ""});
    CHECK(*document.find("openapi") == value("3.1.0"));
    const auto* put = document.find("paths")->find("/api/v1/groups/{name}")->find("put");
    REQUIRE(put);
    CHECK(*put->find("operationId") == value("groups.save"));
    CHECK(*put->find("x-muster-right") == value("groups.change"));
    CHECK(put->find("parameters")->get<list>()->size() == 2);
    const auto* body =
        put->find("requestBody")->find("content")->find("application/json")->find("schema");
    REQUIRE(body);
    CHECK(*body->find("required") == value(list{"expression"}));
    CHECK(*body->find("additionalProperties") == value(false));
    CHECK(put->find("responses")->find("403"));
}

TEST_CASE(
    "the document tells how an operation spans the cluster, and a merged one names failures") {
    auto stats = operation{
        .name = "servers.stats",
        .summary = "Counts.",
        .path = "/servers",
        .gives = record_of({required("items", list_of(anything()))}),
        .needed = access::right::topology_read,
        .spans = span::merged};
    CHECK(check_declaration(stats).error().detail().contains("`failed`"));
    stats.gives = record_of({required("items", list_of(anything())), required("failed", text())});
    REQUIRE(check_declaration(stats));
    const auto document = openapi({stats, save_group()}, {.title = "T", .version = "1"});
    const auto spans_of = [&](const char* path, const char* method) {
        return *document.find("paths")->find(path)->find(method)->find("x-muster-spans");
    };
    CHECK(spans_of("/servers", "get") == value("merged"));
    CHECK(spans_of("/api/v1/groups/{name}", "put") == value("local"));
}

TEST_CASE("arguments name one system by what any door calls it, and several name none") {
    const auto named = [](record record) {
        return system_named_in(value(std::move(record)));
    };

    CHECK(named({{"system", "web1"}}) == "web1");
    CHECK(named({{"note", "x"}, {"sid", 1000010001}}) == "1000010001");
    CHECK(named({{"sids", list{7}}}) == "7");
    CHECK(named({{"systems", list{"web1"}}}) == "web1");
    CHECK_FALSE(named({{"sids", list{7, 8}}}).has_value());
    CHECK_FALSE(named({{"sids", list{}}}).has_value());
    CHECK_FALSE(named({{"query", "web1"}}).has_value());
}

TEST_CASE("what makes or starts something takes a key, what is open to all or only asks does not") {
    operation operation{
        .name = "things.create", .method = verb::post, .needed = access::right::jobs_run};
    CHECK(takes_request_key(operation));
    operation.read_only = true;
    CHECK_FALSE(takes_request_key(operation));
    operation.read_only = false;
    operation.needed = access::right::none;
    CHECK_FALSE(takes_request_key(operation));
    operation.needed = access::right::jobs_run;
    operation.method = verb::put;
    CHECK_FALSE(takes_request_key(operation));
}

TEST_CASE("the document says which operations take a key") {
    operation operation{
        .name = "things.create",
        .summary = "Adds",
        .method = verb::post,
        .path = "/things",
        .needed = access::right::jobs_run};
    const auto response = openapi({operation}, {.title = "t", .version = "1", .description = "d"});
    const auto* const made = response.find("paths")->find("/things")->find("post");
    const auto* const parameters = made->find("parameters")->get<list>();
    REQUIRE(parameters->size() == 1);
    CHECK(*parameters->front().find("name") == value("Idempotency-Key"));
    CHECK(*parameters->front().find("in") == value("header"));
}

TEST_CASE("the document tells the conditions of a request, and the answers that come of them") {
    auto save = save_group();
    save.shares = sharing::common;
    const operation show{
        .name = "groups.show",
        .summary = "Shows",
        .path = save.path,
        .takes = {in_path("name", name())},
        .needed = access::right::fleet_read};
    const operation drain{
        .name = "nodes.drain",
        .summary = "Drains",
        .method = verb::post,
        .path = "/nodes/drain",
        .gives = record_of({required("state", text()), optional("total", integer(0))}),
        .needed = access::right::topology_read};
    const auto response = openapi({save, show, drain}, {.title = "t", .version = "1"});
    const auto at = [&](const std::string& path, const char* method) {
        return response.find("paths")->find(path)->find(method);
    };
    const auto takes = [&](const value* of, const char* header) {
        return std::ranges::any_of(*of->find("parameters")->get<list>(), [&](const value& each) {
            return *each.find("name") == value(header) && *each.find("in") == value("header");
        });
    };
    const auto* const put = at(save.path, "put");
    CHECK(takes(put, "If-Match"));
    CHECK(takes(put, "Muster-Edit"));
    for (const char* const each : {"202", "412", "504"}) CHECK(put->find("responses")->find(each));
    CHECK_FALSE(put->find("responses")->find("304"));
    const auto* const get = at(save.path, "get");
    CHECK(takes(get, "If-None-Match"));
    CHECK_FALSE(takes(get, "If-Match"));
    CHECK(get->find("responses")->find("304"));
    CHECK_FALSE(get->find("responses")->find("504"));
    const auto* const post = at("/nodes/drain", "post");
    CHECK(post->find("responses")->find("202"));
    CHECK_FALSE(takes(post, "If-Match"));
    CHECK_FALSE(post->find("responses")->find("412"));
}
