#include "apps/muster/server/people_options.h"

#include "adapters/pam/pam.h"
#include "services/bootstrap/cluster_bootstrap.h"

#include <memory>
#include <string>
#include <utility>

namespace muster::server {

people::people_services::options staffing(
    const server_options& options, std::function<void()> first_password_spent) {
    auto people = options.people;
    if (!options.pam_service.empty()) {
        const auto asks =
            std::make_shared<pam::checker>(pam::stack{.service = options.pam_service});
        people.outside = [asks](std::string user, std::string password) {
            return asks->check({.user = std::move(user), .password = std::move(password)});
        };
    }
    people.password_changed = [spent = std::move(first_password_spent)](const std::string& user) {
        if (user == bootstrap::first_user) spent();
    };
    return people;
}

}  // namespace muster::server
