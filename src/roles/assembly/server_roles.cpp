#include "roles/assembly/server_roles.h"

#include <utility>

namespace muster::roles {

server_roles::server_roles(server_context context, const options& options)
    : context_(std::move(context)), services_(context_, options.server) {
    const bool is_gateway = context_.has_role("gateway");
    const bool is_driver = context_.has_role("driver");
    if (is_gateway || is_driver) management_.emplace(services_, options.management);
    if (context_.has_role("node"))
        roles_.push_back(std::make_unique<node_role>(services_, options.node));
    if (is_gateway) {
        roles_.push_back(std::make_unique<gateway_role>(*management_, options.gateway));
    } else {
        drift_.emplace(services_);
    }
    if (is_driver) roles_.push_back(std::make_unique<driver_role>(*management_, options.driver));
}

result<void> server_roles::add_routes(net::http::router& routes) {
    CHECK_OK(services_.add_routes(routes));
    if (management_) {
        CHECK_OK(management_->add_routes(routes));
    }
    for (const auto& role : roles_) {
        CHECK_OK(role->add_routes(routes));
    }
    return {};
}

net::http::channel_handler server_roles::agent_connections() {
    for (const auto& role : roles_)
        if (auto handler = role->agent_connections()) return handler;
    return nullptr;
}

void server_roles::start(runtime::task_group& loops) {
    services_.start(loops);
    if (management_) management_->start(loops);
    if (drift_) drift_->start(loops);
    for (const auto& role : roles_) role->start(loops);
}

boost::asio::awaitable<void> server_roles::stop() {
    for (const auto& role : roles_) co_await role->stop();
    co_await services_.stop();
}

}  // namespace muster::roles
