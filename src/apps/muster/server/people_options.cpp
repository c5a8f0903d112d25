#include "apps/muster/server/people_options.h"

#include "adapters/pam/pam.h"

#include <memory>
#include <string>
#include <utility>

namespace muster::server {

people::people_services::options people_options(
    const server_options& options, people::password_listener& listener) {
    auto people = options.people;
    if (!options.pam_service.empty()) {
        const auto checker =
            std::make_shared<pam::checker>(pam::stack{.service = options.pam_service});
        people.external_check = [checker](std::string user, std::string password) {
            return checker->check({.user = std::move(user), .password = std::move(password)});
        };
    }
    people.listener = &listener;
    return people;
}

}  // namespace muster::server
