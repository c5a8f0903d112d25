#include "apps/muster/server/staffing.h"

#include "adapters/pam/pam.h"
#include "services/bootstrap/founding.h"

#include <memory>
#include <string>
#include <utility>

namespace muster::server {

people::people_office::options staffing(
    const server_options& how, std::function<void()> first_password_spent) {
    auto people = how.people;
    if (!how.pam_service.empty()) {
        const auto asks = std::make_shared<pam::checker>(pam::stack{.service = how.pam_service});
        people.outside = [asks](std::string user, std::string password) {
            return asks->check({.user = std::move(user), .password = std::move(password)});
        };
    }
    people.password_changed = [spent = std::move(first_password_spent)](const std::string& user) {
        if (user == first_user) spent();
    };
    return people;
}

}  // namespace muster::server
