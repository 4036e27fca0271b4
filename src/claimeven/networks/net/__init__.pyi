from claimeven.networks.net.features import Features as Features
from claimeven.networks.net.file import read_net as read_net
from claimeven.networks.net.file import write_net as write_net
from claimeven.networks.net.net import SHAPES as SHAPES
from claimeven.networks.net.net import Net as Net
from claimeven.networks.net.net import NetShape as NetShape
from claimeven.networks.net.net import Prediction as Prediction
from claimeven.networks.net.net import SearchDefaults as SearchDefaults
