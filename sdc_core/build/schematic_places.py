"""Public facts that the schematic map is built from: which places make up which area.

An area of whole counties lists them (three-digit numbers follow the state's two). Any other area
lists the towns or city districts in it. A place is (name, latitude, longitude, land area in square
kilometres): the usual coordinates of its centre as gazetteers give them, to about a kilometre, and
its rounded size. Places around an area, listed with the area "", only bound it.

Which places belong to an area follows from the names that the Census Bureau gave the areas of the
2010 census (Public Use Microdata Areas).
"""

from __future__ import annotations

from dataclasses import dataclass

Place = tuple[str, float, float, float]


@dataclass(frozen=True)
class Region:
    """Counties that are divided among places; the cells of an area's places are the area."""

    counties: tuple[str, ...]
    places: dict[str, tuple[Place, ...]]


WHOLE_COUNTIES: dict[str, tuple[str, ...]] = {
    "48-02101": ("48139",),
    "48-02102": ("48251",),
    "40-00200": ("40001", "40021", "40135"),
    "51-51255": ("51510",),
    # East Montana: the plains east of the Judith Basin; the city of Billings is cut out below.
    "30-00600": (
        "30003", "30011", "30017", "30019", "30021", "30025", "30033", "30055", "30065", "30069",
        "30071", "30075", "30079", "30083", "30085", "30087", "30091", "30103", "30105", "30109",
        "30111",
    ),
    "38-00100": (
        "38001", "38007", "38009", "38011", "38013", "38023", "38025", "38033", "38041", "38049",
        "38053", "38055", "38057", "38061", "38075", "38087", "38089", "38101", "38105",
    ),
}

REGIONS: tuple[Region, ...] = (
    Region(("25017", "25009"), {  # Middlesex and Essex, Massachusetts
        "25-00503": (
            ("Waltham", 42.380, -71.240, 33), ("Lexington", 42.447, -71.228, 43),
            ("Burlington", 42.503, -71.199, 31), ("Bedford", 42.496, -71.278, 36),
            ("Lincoln", 42.424, -71.310, 37),
        ),
        "25-00703": (
            ("Salem", 42.518, -70.897, 21), ("Beverly", 42.567, -70.868, 39),
            ("Gloucester", 42.626, -70.680, 68), ("Newburyport", 42.812, -70.887, 22),
            ("Manchester-by-the-Sea", 42.577, -70.767, 24), ("Essex", 42.633, -70.770, 36),
            ("Rockport", 42.656, -70.621, 18), ("Ipswich", 42.685, -70.840, 83),
            ("Hamilton", 42.630, -70.855, 38), ("Wenham", 42.600, -70.885, 20),
            ("Rowley", 42.715, -70.905, 47), ("Newbury", 42.765, -70.875, 60),
        ),
        "25-01000": (
            ("Peabody", 42.534, -70.965, 42), ("Danvers", 42.573, -70.948, 34),
            ("Reading", 42.528, -71.109, 26), ("North Reading", 42.582, -71.085, 34),
            ("Lynnfield", 42.534, -71.045, 26),
        ),
        "25-01300": (
            ("Billerica", 42.557, -71.268, 66), ("Andover", 42.650, -71.160, 80),
            ("Tewksbury", 42.612, -71.230, 54), ("Wilmington", 42.558, -71.168, 44),
        ),
        "25-02800": (
            ("Woburn", 42.487, -71.155, 33), ("Melrose", 42.457, -71.062, 12),
            ("Saugus", 42.469, -71.013, 28), ("Wakefield", 42.503, -71.068, 19),
            ("Stoneham", 42.476, -71.098, 16),
        ),
        "": (
            ("Lowell", 42.639, -71.320, 35), ("Chelmsford", 42.599, -71.360, 58),
            ("Dracut", 42.683, -71.302, 54), ("Carlisle", 42.529, -71.350, 40),
            ("Concord", 42.460, -71.363, 64), ("Weston", 42.360, -71.302, 44),
            ("Wayland", 42.363, -71.361, 39), ("Newton", 42.332, -71.208, 46),
            ("Watertown", 42.370, -71.178, 10), ("Belmont", 42.396, -71.179, 12),
            ("Arlington", 42.416, -71.157, 13), ("Winchester", 42.452, -71.146, 16),
            ("Medford", 42.423, -71.108, 21), ("Malden", 42.428, -71.060, 13),
            ("Everett", 42.406, -71.055, 9), ("Revere", 42.420, -71.003, 15),
            ("Lynn", 42.475, -70.962, 28), ("Swampscott", 42.474, -70.909, 8),
            ("Marblehead", 42.499, -70.863, 11), ("Nahant", 42.427, -70.922, 3),
            ("Middleton", 42.603, -71.017, 36), ("Topsfield", 42.640, -70.948, 33),
            ("Boxford", 42.682, -71.015, 61), ("North Andover", 42.672, -71.086, 68),
            ("Lawrence", 42.700, -71.161, 18), ("Methuen", 42.733, -71.184, 57),
            ("Haverhill", 42.778, -71.085, 85), ("Groveland", 42.752, -71.018, 23),
            ("Georgetown", 42.727, -70.983, 33), ("West Newbury", 42.795, -70.985, 35),
            ("Amesbury", 42.855, -70.945, 32), ("Merrimac", 42.835, -71.010, 22),
            ("Salisbury", 42.842, -70.870, 40), ("Sudbury", 42.385, -71.415, 63),
            ("Acton", 42.484, -71.438, 52), ("Westford", 42.585, -71.440, 79),
            ("Tyngsborough", 42.670, -71.428, 43), ("Cambridge", 42.377, -71.118, 17),
            ("Somerville", 42.390, -71.100, 11), ("Framingham", 42.305, -71.435, 65),
            ("Natick", 42.285, -71.350, 39),
        ),
    }),
    Region(("48439",), {  # Tarrant, Texas
        "48-02507": (
            ("Arlington, west", 32.730, -97.160, 30), ("Lake Arlington", 32.700, -97.195, 20),
            ("Dalworthington Gardens", 32.695, -97.155, 10),
            ("Arlington, southwest", 32.660, -97.170, 30),
        ),
        "48-02510": (
            ("Keller", 32.934, -97.235, 48), ("North Richland Hills, north", 32.885, -97.215, 25),
            ("Fort Worth, Heritage", 32.915, -97.285, 25),
        ),
        "48-02515": (
            ("White Settlement", 32.758, -97.460, 25), ("Lake Worth", 32.810, -97.440, 20),
            ("Sansom Park", 32.804, -97.403, 5), ("Fort Worth, Western Hills", 32.725, -97.470, 25),
            ("Lakeside", 32.820, -97.490, 15), ("Fort Worth, Chapel Creek", 32.760, -97.520, 50),
            ("Westworth Village", 32.762, -97.420, 10),
        ),
        "48-02516": (
            ("Saginaw", 32.864, -97.370, 20), ("Eagle Mountain", 32.900, -97.440, 80),
            ("Azle", 32.892, -97.530, 30), ("Pelican Bay", 32.925, -97.520, 40),
            ("Haslet", 32.965, -97.350, 40), ("Avondale", 32.960, -97.410, 50),
            ("Blue Mound", 32.857, -97.339, 5),
        ),
        "": (
            ("Arlington, centre", 32.730, -97.105, 40),
            ("Arlington, southeast", 32.660, -97.085, 80),
            ("Arlington, north", 32.772, -97.120, 30), ("Kennedale", 32.645, -97.220, 16),
            ("Mansfield", 32.570, -97.130, 90), ("Fort Worth, Handley", 32.735, -97.225, 30),
            ("Hurst", 32.825, -97.180, 26), ("Bedford", 32.845, -97.135, 26),
            ("Euless", 32.845, -97.080, 42), ("Colleyville", 32.890, -97.150, 34),
            ("Southlake", 32.945, -97.140, 57), ("Grapevine", 32.935, -97.075, 80),
            ("North Richland Hills, south", 32.840, -97.230, 22), ("Watauga", 32.865, -97.250, 11),
            ("Haltom City", 32.815, -97.270, 32), ("Fort Worth, Alliance", 32.970, -97.300, 40),
            ("Fort Worth, Fossil Creek", 32.860, -97.305, 50),
            ("Fort Worth, Northside", 32.795, -97.350, 30), ("River Oaks", 32.777, -97.396, 5),
            ("Fort Worth, centre", 32.750, -97.330, 25), ("Fort Worth, TCU", 32.705, -97.365, 35),
            ("Fort Worth, Ridglea", 32.720, -97.420, 20), ("Benbrook", 32.675, -97.470, 45),
            ("Fort Worth, southwest", 32.635, -97.410, 80), ("Crowley", 32.580, -97.362, 60),
            ("Everman", 32.630, -97.285, 30), ("Forest Hill", 32.665, -97.265, 11),
            ("Fort Worth, southeast", 32.705, -97.280, 35), ("Burleson", 32.555, -97.310, 50),
            ("Rendon", 32.580, -97.240, 60), ("Fort Worth, far southwest", 32.600, -97.500, 80),
            ("Fort Worth, Woodhaven", 32.775, -97.210, 30),
        ),
    }),
    Region(("01073",), {  # Jefferson, Alabama
        "01-01301": (
            ("Ensley", 33.515, -86.888, 15), ("Pratt City", 33.537, -86.872, 12),
            ("West End", 33.487, -86.855, 10), ("Five Points West", 33.497, -86.885, 8),
            ("Titusville", 33.497, -86.838, 7), ("Smithfield", 33.520, -86.843, 8),
            ("Wylam", 33.505, -86.925, 10), ("Roosevelt City", 33.445, -86.935, 12),
            ("Oxmoor", 33.430, -86.870, 25),
        ),
        "": (
            ("Birmingham, centre", 33.518, -86.800, 10), ("Homewood", 33.470, -86.808, 22),
            ("Bessemer", 33.395, -86.965, 70), ("Fairfield", 33.478, -86.918, 9),
            ("Midfield", 33.457, -86.915, 7), ("Hueytown", 33.445, -86.995, 40),
            ("Forestdale", 33.570, -86.900, 18), ("Pleasant Grove", 33.493, -86.972, 26),
            ("Hoover", 33.385, -86.820, 80), ("Vestavia Hills", 33.440, -86.780, 45),
            ("Birmingham, Norwood", 33.545, -86.810, 15),
            ("Birmingham, northeast", 33.57, -86.74, 60),
            ("Fultondale", 33.610, -86.800, 32), ("Minor", 33.537, -86.940, 15),
            ("Mulga", 33.560, -86.980, 30), ("Mountain Brook", 33.485, -86.740, 33),
        ),
    }),
    Region(("06075",), {  # San Francisco
        "06-07502": (
            ("North Beach", 37.802, -122.411, 1.2), ("Chinatown", 37.795, -122.407, 0.6),
            ("Marina", 37.802, -122.437, 2.4), ("Russian Hill", 37.801, -122.419, 1.2),
            ("Nob Hill", 37.793, -122.415, 1.2), ("Pacific Heights", 37.793, -122.434, 1.8),
            ("Financial District", 37.794, -122.399, 1.2),
        ),
        "": (
            ("Presidio", 37.798, -122.466, 6), ("Richmond", 37.779, -122.480, 8),
            ("Western Addition", 37.781, -122.434, 2.5), ("Tenderloin", 37.783, -122.415, 1),
            ("South of Market", 37.777, -122.406, 3), ("South Beach", 37.784, -122.391, 1.5),
            ("Mission", 37.760, -122.415, 5), ("Haight", 37.770, -122.446, 3),
            ("Sunset", 37.750, -122.490, 14), ("Potrero Hill", 37.758, -122.395, 4),
            ("Excelsior", 37.723, -122.430, 6), ("Bayview", 37.730, -122.388, 12),
            ("Twin Peaks", 37.745, -122.450, 8), ("Treasure Island", 37.823, -122.371, 2.3),
        ),
    }),
    Region(("06085",), {  # Santa Clara, California
        "06-08507": (
            ("Cupertino", 37.318, -122.045, 29), ("Saratoga", 37.270, -122.020, 33),
            ("Los Gatos", 37.236, -121.958, 29), ("Monte Sereno", 37.240, -121.990, 5),
            ("Lexington Hills", 37.165, -121.985, 60), ("Stevens Creek", 37.275, -122.080, 30),
            ("Loma Prieta", 37.130, -121.890, 60),
        ),
        "": (
            ("Sunnyvale", 37.372, -122.036, 57), ("Los Altos", 37.375, -122.115, 17),
            ("Los Altos Hills", 37.375, -122.140, 23), ("Santa Clara", 37.354, -121.969, 48),
            ("Campbell", 37.283, -121.950, 15), ("San Jose, west", 37.310, -121.985, 12),
            ("San Jose, Cambrian", 37.253, -121.925, 20),
            ("San Jose, centre", 37.335, -121.890, 60),
            ("San Jose, Almaden", 37.205, -121.850, 60), ("Palo Alto Hills", 37.320, -122.150, 60),
            ("Monte Bello", 37.320, -122.100, 20),
            ("Morgan Hill", 37.130, -121.654, 33), ("San Jose, south", 37.240, -121.800, 60),
            ("Uvas", 37.080, -121.770, 100), ("Gilroy", 37.005, -121.570, 43),
        ),
    }),
    Region(("08013",), {  # Boulder, Colorado
        "08-00803": (
            ("Boulder, centre", 40.015, -105.270, 40), ("Boulder, south", 39.980, -105.250, 25),
            ("Boulder, north", 40.055, -105.275, 30), ("Gunbarrel", 40.065, -105.185, 30),
            ("Boulder, east", 40.015, -105.205, 40),
        ),
        "": (
            ("Longmont", 40.167, -105.105, 70), ("Lafayette", 39.998, -105.090, 24),
            ("Louisville", 39.972, -105.140, 20), ("Superior", 39.945, -105.165, 10),
            ("Niwot", 40.104, -105.165, 25), ("Erie", 40.040, -105.075, 25),
            ("Gold Hill", 40.063, -105.410, 90), ("Eldorado Springs", 39.932, -105.280, 30),
            ("Hygiene", 40.189, -105.200, 80), ("Nederland", 39.961, -105.511, 150),
            ("Jamestown", 40.116, -105.389, 120), ("Altona", 40.125, -105.270, 60),
            ("Sugarloaf", 40.020, -105.400, 80), ("Lyons", 40.225, -105.271, 80),
            ("Magnolia", 39.985, -105.370, 40),
        ),
    }),
    Region(("13121",), {  # Fulton, Georgia
        "13-04600": (
            ("Downtown", 33.755, -84.390, 7), ("Midtown", 33.783, -84.383, 8),
            ("West End", 33.737, -84.415, 8), ("Vine City", 33.760, -84.412, 7),
            ("Adamsville", 33.757, -84.510, 15), ("Cascade Heights", 33.722, -84.465, 14),
            ("Collier Heights", 33.770, -84.485, 12), ("Grove Park", 33.775, -84.440, 10),
            ("Grant Park", 33.738, -84.370, 7), ("Oakland City", 33.717, -84.425, 8),
        ),
        "": (
            ("Buckhead", 33.838, -84.382, 35), ("Bolton", 33.812, -84.455, 20),
            ("Sandy Springs", 33.930, -84.370, 98), ("East Point", 33.680, -84.445, 38),
            ("Atlantic Station", 33.800, -84.400, 8), ("Morningside", 33.800, -84.355, 8),
            ("Lakewood Heights", 33.700, -84.385, 14), ("Hapeville", 33.660, -84.410, 6),
            ("Ben Hill", 33.690, -84.515, 20), ("Fulton Industrial", 33.740, -84.570, 25),
            ("South Fulton", 33.630, -84.560, 100), ("Riverside", 33.800, -84.490, 10),
        ),
    }),
    Region(("17031",), {  # Cook, Illinois: community areas of Chicago
        "17-03529": (
            ("South Shore", 41.762, -87.577, 7.6), ("Hyde Park", 41.794, -87.592, 4.2),
            ("Woodlawn", 41.779, -87.600, 5.4), ("Grand Boulevard", 41.813, -87.617, 4.5),
            ("Douglas", 41.835, -87.618, 4.3), ("Kenwood", 41.809, -87.596, 2.7),
            ("Oakland", 41.823, -87.603, 1.5), ("Washington Park", 41.792, -87.618, 3.9),
        ),
        "17-03531": (
            ("Auburn Gresham", 41.743, -87.656, 9.8), ("Roseland", 41.708, -87.622, 12.5),
            ("Chatham", 41.740, -87.614, 7.6), ("Avalon Park", 41.745, -87.589, 3.2),
            ("Burnside", 41.729, -87.597, 1.6),
        ),
        "": (
            ("Near South Side", 41.857, -87.625, 4.6), ("Armour Square", 41.840, -87.634, 2.6),
            ("Bridgeport", 41.838, -87.650, 5.4), ("Fuller Park", 41.810, -87.632, 1.8),
            ("Englewood", 41.777, -87.645, 8), ("Greater Grand Crossing", 41.763, -87.614, 9.2),
            ("South Chicago", 41.740, -87.554, 8.7), ("Calumet Heights", 41.729, -87.578, 4.5),
            ("Pullman", 41.706, -87.602, 5.5), ("West Pullman", 41.675, -87.636, 9.2),
            ("Riverdale", 41.658, -87.608, 9.1), ("Washington Heights", 41.713, -87.653, 7.4),
            ("Morgan Park", 41.688, -87.668, 8.5), ("Beverly", 41.715, -87.675, 8.2),
            ("Ashburn", 41.747, -87.710, 12.6), ("West Englewood", 41.778, -87.668, 8.2),
            ("Chicago Lawn", 41.772, -87.695, 9.1), ("South Deering", 41.700, -87.565, 28),
            ("New City", 41.808, -87.657, 12.5), ("Lower West Side", 41.854, -87.666, 7.6),
        ),
    }),
    Region(("19153",), {  # Polk, Iowa
        "19-01700": (
            ("Des Moines, centre", 41.590, -93.620, 40), ("Beaverdale", 41.625, -93.680, 25),
            ("Des Moines, south", 41.545, -93.620, 50), ("Des Moines, east", 41.605, -93.560, 50),
            ("Des Moines, southwest", 41.550, -93.680, 30), ("Highland Park", 41.630, -93.615, 25),
        ),
        "": (
            ("West Des Moines", 41.575, -93.745, 60), ("Windsor Heights", 41.600, -93.712, 4),
            ("Urbandale", 41.630, -93.735, 40), ("Clive", 41.605, -93.760, 15),
            ("Johnston", 41.675, -93.700, 45), ("Saylorville", 41.680, -93.630, 40),
            ("Ankeny", 41.727, -93.605, 76), ("Altoona", 41.650, -93.470, 30),
            ("Pleasant Hill", 41.582, -93.505, 25), ("Bondurant", 41.695, -93.470, 40),
            ("Berwick", 41.665, -93.545, 30), ("Runnells", 41.520, -93.430, 80),
            ("Carlisle", 41.500, -93.500, 20), ("Norwalk", 41.480, -93.680, 30),
        ),
    }),
    Region(("24031",), {  # Montgomery, Maryland
        "24-01004": (
            ("Bethesda", 38.990, -77.115, 34), ("Potomac", 39.018, -77.205, 65),
            ("North Bethesda", 39.043, -77.119, 22), ("Cabin John", 38.975, -77.160, 10),
        ),
        "": (
            ("Rockville", 39.083, -77.150, 35), ("Chevy Chase", 38.980, -77.072, 6),
            ("Kensington", 39.025, -77.073, 6), ("Silver Spring", 38.998, -77.028, 20),
            ("Wheaton", 39.042, -77.052, 18), ("North Potomac", 39.095, -77.245, 17),
            ("Travilah", 39.062, -77.262, 40), ("Darnestown", 39.100, -77.300, 43),
            ("Gaithersburg", 39.143, -77.205, 27), ("Aspen Hill", 39.090, -77.080, 25),
            ("Fallsmead", 39.070, -77.185, 8),
        ),
    }),
    Region(("26161",), {  # Washtenaw, Michigan
        "26-02702": (
            ("Ann Arbor, centre", 42.280, -83.748, 35), ("Ann Arbor, north", 42.305, -83.705, 18),
            ("Ann Arbor, south", 42.250, -83.725, 18), ("Ann Arbor, west", 42.285, -83.780, 8),
        ),
        "": (
            ("Ypsilanti", 42.240, -83.620, 80), ("Saline", 42.167, -83.782, 60),
            ("Dexter", 42.338, -83.889, 80), ("Scio", 42.290, -83.845, 85),
            ("Pittsfield", 42.200, -83.715, 70), ("Superior", 42.290, -83.625, 91),
            ("Northfield", 42.385, -83.740, 93), ("Lodi", 42.210, -83.840, 88),
            ("Webster", 42.375, -83.840, 90), ("Salem", 42.385, -83.620, 89),
        ),
    }),
    Region(("28049",), {  # Hinds, Mississippi
        "28-01100": (
            ("Jackson, centre", 32.300, -90.190, 25), ("Fondren", 32.335, -90.175, 25),
            ("Jackson, north", 32.370, -90.150, 35), ("Tougaloo", 32.395, -90.165, 25),
            ("Jackson, northwest", 32.350, -90.215, 35), ("Jackson State", 32.300, -90.215, 15),
        ),
        "": (
            ("Jackson, west", 32.300, -90.265, 40), ("Jackson, south", 32.240, -90.225, 60),
            ("Clinton", 32.345, -90.325, 110), ("Byram", 32.180, -90.250, 50),
            ("Raymond", 32.255, -90.420, 200), ("Pocahontas", 32.470, -90.290, 150),
            ("Bolton", 32.350, -90.460, 200), ("Presidential Hills", 32.395, -90.250, 30),
        ),
    }),
    Region(("29510",), {  # the city of St. Louis
        "29-01901": (
            ("The Ville", 38.662, -90.243, 10), ("Baden", 38.713, -90.237, 12),
            ("Walnut Park", 38.700, -90.262, 10), ("Hyde Park", 38.668, -90.205, 10),
            ("Wells-Goodfellow", 38.672, -90.277, 10), ("Carr Square", 38.642, -90.203, 7),
            ("O'Fallon", 38.680, -90.222, 10), ("Riverview", 38.745, -90.215, 10),
        ),
        "": (
            ("Central West End", 38.640, -90.258, 7), ("Forest Park", 38.637, -90.288, 8),
            ("Midtown", 38.633, -90.232, 6), ("Downtown", 38.625, -90.193, 5),
            ("Shaw", 38.612, -90.250, 10), ("Soulard", 38.603, -90.208, 10),
            ("The Hill", 38.612, -90.280, 10), ("Carondelet", 38.565, -90.252, 15),
        ),
    }),
    Region(("30111",), {  # Yellowstone, Montana
        "30-00600": (
            ("Laurel", 45.669, -108.771, 800), ("Huntley", 45.900, -108.300, 900),
            ("Custer", 46.129, -107.555, 2500), ("Shepherd", 45.950, -108.500, 700),
            ("Acton", 45.930, -108.680, 700), ("Pryor Creek", 45.700, -108.300, 700),
        ),
        "": (("Billings", 45.787, -108.540, 112),),
    }),
    Region(("32003",), {  # Clark, Nevada
        "32-00405": (
            ("Downtown", 36.170, -115.140, 8), ("Rancho", 36.185, -115.160, 9),
            ("East Las Vegas", 36.172, -115.095, 15), ("Huntridge", 36.155, -115.130, 6),
            ("West Las Vegas", 36.185, -115.145, 5),
        ),
        "": (
            ("North Las Vegas", 36.215, -115.120, 40),
            ("Sunrise Manor, north", 36.205, -115.060, 30),
            ("Sunrise Manor, south", 36.155, -115.060, 30), ("Winchester", 36.130, -115.120, 10),
            ("Paradise", 36.090, -115.135, 100), ("The Strip", 36.125, -115.170, 10),
            ("Spring Valley", 36.110, -115.245, 80), ("Las Vegas, west", 36.165, -115.200, 40),
            ("Las Vegas, northwest", 36.250, -115.230, 100),
        ),
    }),
    Region(("36005",), {  # Bronx
        "36-03710": (
            ("Mott Haven", 40.809, -73.922, 3.5), ("Melrose", 40.820, -73.913, 2.2),
            ("Hunts Point", 40.810, -73.883, 4), ("Longwood", 40.820, -73.897, 2.2),
            ("Port Morris", 40.801, -73.908, 2),
        ),
        "": (
            ("Morrisania", 40.830, -73.904, 3), ("Highbridge", 40.838, -73.926, 3),
            ("Concourse", 40.829, -73.921, 2), ("Soundview", 40.822, -73.868, 6),
            ("Crotona", 40.838, -73.893, 4), ("Clason Point", 40.808, -73.855, 3),
            ("Fordham", 40.860, -73.895, 6), ("West Farms", 40.840, -73.878, 4),
        ),
    }),
    Region(("36047",), {  # Brooklyn
        "36-04010": (
            ("East Flatbush", 40.651, -73.938, 3.5), ("Rugby", 40.648, -73.924, 2.2),
            ("Farragut", 40.638, -73.936, 2.3),
        ),
        "": (
            ("Crown Heights", 40.668, -73.943, 4), ("Brownsville", 40.663, -73.911, 3.5),
            ("Flatbush", 40.645, -73.960, 4), ("Flatlands", 40.621, -73.935, 5),
            ("Canarsie", 40.638, -73.900, 6), ("Midwood", 40.622, -73.958, 4),
            ("Prospect Lefferts Gardens", 40.658, -73.955, 1.5), ("Kensington", 40.638, -73.975, 2),
        ),
    }),
    Region(("51013",), {  # Arlington, Virginia
        "51-01301": (
            ("Clarendon", 38.886, -77.096, 5), ("Cherrydale", 38.897, -77.108, 6),
            ("Yorktown", 38.905, -77.137, 8), ("Rosslyn", 38.896, -77.073, 4),
            ("Chain Bridge", 38.918, -77.118, 6), ("Westover", 38.886, -77.140, 5),
        ),
        "": (
            ("Columbia Pike", 38.860, -77.085, 6), ("Crystal City", 38.855, -77.050, 5),
            ("Shirlington", 38.843, -77.088, 5), ("Bluemont", 38.871, -77.125, 5),
            ("Fort Myer", 38.880, -77.075, 5), ("Glencarlyn", 38.862, -77.120, 4),
        ),
    }),
)
