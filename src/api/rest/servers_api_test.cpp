// What servers tell of themselves, asked of all over mutual TLS on loopback.

#include "api/rest/servers_api.h"

#include "adapters/os/process_usage.h"
#include "tests/fixtures/api/rest_fixture.h"
#include "tests/fixtures/api/server_tls_source.h"

#include <doctest/doctest.h>

#include <memory>
#include <string>

namespace muster::api {
namespace {

using namespace std::chrono_literals;
namespace http = net::http;
namespace json = boost::json;

async<http::response> tell(http::request request) {
    co_return http::json(
        200, R"({"requests":7,"of":")" + request.client_certificate()->common_name() + "\"}");
}

async<http::response> deny(http::request /*asked*/) {
    co_return http::problem(404, "an older server does not know this");
}

async<http::response> say_nothing(http::request /*asked*/) {
    CO_CHECK_OK(co_await http::test::the_clock().sleep_for(1h));
    co_return http::json(200, "{}");
}

// Another server, which answers as it likes.
std::unique_ptr<http::server> peer(http::handler answers) {
    auto routes = std::make_shared<http::router>();
    REQUIRE(routes->add(
        "GET",
        "/cluster/stats",
        {.handle = std::move(answers), .allowed = http::caller::cluster_server}));
    std::vector<http::listener> listeners;
    listeners.push_back(
        {.address = {.host = "127.0.0.1", .port = 0},
         .tls = std::make_shared<net::rotating_tls_server>(
             http::test::server_tls(http::test::server_identity())),
         .service = {.routes = std::move(routes)}});
    return http::server::start(
               {.listeners = std::move(listeners), .clock = &http::test::the_clock()})
        .value();
}

// m1 is asked; m2 answers, m3 is of an older version, m4 never answers; m5 is away. All but m2, in
// zone eu, are in us, and m1 has no node.
struct site : test::rest_fixture {
    http::counters counted;
    std::atomic<const http::counters*> public_counters = &counted;
    server_tls_source tls;
    peer_servers_client line{{.clock = clock, .tls = tls}, {.timeout = 30s}};
    servers_api part{
        {.topology = places,
         .peers = line,
         .clock = clock,
         .counters = public_counters,
         .self = "m1"}};
    std::vector<std::unique_ptr<http::server>> others;

    site() : rest_fixture("servers-api") {
        for (auto& item : {http::handler(tell), http::handler(deny), http::handler(say_nothing)})
            others.push_back(peer(item));
        auto now = std::make_shared<cluster::topology>();
        for (const auto* const zone : {"eu", "us"}) now->zones[zone] = {.name = zone};
        now->servers["m1"] = {.name = "m1", .roles = {"gateway"}, .version = "1"};
        for (std::size_t at = 0; at < others.size(); ++at) {
            const auto name = "m" + std::to_string(at + 2);
            now->servers[name] = {
                .name = name, .address = "127.0.0.1:" + std::to_string(others[at]->port(0))};
            now->nodes[name] = {.name = name, .zone = at == 0 ? "eu" : "us"};
        }
        now->nodes["m5"] = {.name = "m5", .zone = "us", .state = membership::node_state::suspect};
        places.publish(std::move(now));
        REQUIRE(part.declare(operations));
        serve();
    }
    ~site() { stop(); }

    static std::vector<std::string> names(const json::value& of) {
        std::vector<std::string> all;
        for (const auto& entry : of.as_array())
            all.push_back(json::value_to<std::string>(entry.at("server")));
        return all;
    }
};

TEST_CASE("all servers are asked at once; who answers is merged in order, who does not is named") {
    site fixture;
    fixture.counted.count_response(200);
    fixture.counted.count_response(500);
    fixture.counted.add_response_time(10ms);
    fixture.counted.add_response_time(30ms);
    http::counters::add(fixture.counted.handler_failures, 1);

    const auto before = os::read_process_usage();
    const auto begun = fixture.clock.now();
    const auto response = fixture.call("GET", "/api/v1/servers/stats?patience=3s");
    CHECK(fixture.clock.now() - begun < 20s);

    REQUIRE(site::names(response.at("items")) == std::vector<std::string>{"m1", "m2"});
    const auto& own = response.at("items").at(0).as_object();
    CHECK(own.at("requests").to_number<int>() == 2);
    CHECK(own.at("errors").to_number<int>() == 1);
    CHECK(own.at("exceptions").to_number<int>() == 1);
    CHECK(own.at("request_seconds").to_number<double>() == doctest::Approx(0.02));
    const auto used = own.at("cpu_seconds").to_number<double>();
    CHECK(used >= before.cpu_seconds);
    CHECK(used <= os::read_process_usage().cpu_seconds);
    CHECK(own.at("cores").as_int64() == before.cores);
    CHECK(own.at("zone").is_null());
    const auto& other = response.at("items").at(1).as_object();
    CHECK(other.at("requests").to_number<int>() == 7);
    CHECK(other.at("zone").as_string() == "eu");

    const auto reason = [&](std::size_t at) {
        return json::value_to<std::string>(response.at("failed").at(at).at("reason"));
    };
    REQUIRE(site::names(response.at("failed")) == std::vector<std::string>{"m3", "m4", "m5"});
    CHECK(reason(0).contains("404"));
    CHECK(reason(1).contains("deadline"));
    CHECK(reason(2).contains("suspect"));
    CHECK(fixture.send("GET", "/api/v1/servers/stats?patience=2h").status == 400);
    CHECK(fixture.send("GET", "/api/v1/servers/stats?patience=soon").status == 400);
}

TEST_CASE("somebody of one zone sees the servers of its nodes") {
    site fixture;
    fixture.token = fixture.log_in("ada", {{.role = "viewer", .zone = "eu"}});
    const auto response = fixture.call("GET", "/api/v1/servers/stats");
    CHECK(site::names(response.at("items")) == std::vector<std::string>{"m2"});
    CHECK(response.at("failed").as_array().empty());
}

}  // namespace
}  // namespace muster::api
