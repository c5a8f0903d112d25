#include "services/people/address_limit_key.h"

#include <boost/asio/ip/address.hpp>
#include <boost/asio/ip/network_v6.hpp>

namespace muster::people {

std::string address_limit_key(const std::string& address) {
    namespace ip = boost::asio::ip;
    constexpr unsigned short own_bits = 64;
    boost::system::error_code none;
    const auto read = ip::make_address(address, none);
    if (none || read.is_v4()) return address;
    if (read.to_v6().is_v4_mapped())
        return ip::make_address_v4(ip::v4_mapped, read.to_v6()).to_string();
    return ip::network_v6(read.to_v6(), own_bits).canonical().to_string();
}

}  // namespace muster::people
