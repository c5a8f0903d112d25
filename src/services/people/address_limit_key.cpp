#include "services/people/address_limit_key.h"

#include <boost/asio/ip/address.hpp>
#include <boost/asio/ip/network_v6.hpp>

namespace muster::people {

std::string address_limit_key(const std::string& address) {
    namespace ip = boost::asio::ip;
    constexpr unsigned short prefix_bits = 64;
    boost::system::error_code failure;
    const auto parsed = ip::make_address(address, failure);
    if (failure || parsed.is_v4()) return address;
    if (parsed.to_v6().is_v4_mapped())
        return ip::make_address_v4(ip::v4_mapped, parsed.to_v6()).to_string();
    return ip::network_v6(parsed.to_v6(), prefix_bits).canonical().to_string();
}

}  // namespace muster::people
