from bunraku.choreography.engine import Choreography as Choreography
from bunraku.choreography.pins import Drag as Drag
from bunraku.choreography.pins import Pin as Pin
from bunraku.choreography.pins import Violation as Violation
from bunraku.choreography.relations import Relations as Relations
from bunraku.choreography.relations import end_link_relations as end_link_relations
from bunraku.choreography.score import Score as Score
