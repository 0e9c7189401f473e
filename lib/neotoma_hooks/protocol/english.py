"""Ordinary English words: those that open a sentence, a line or a label with a capital and name nothing.

The lists are the closed word classes in full, and of the open classes what people open a message to an assistant, a
note, a ticket or a mail with. Inflected forms are found by `ordinary.stems`, so base forms suffice.
"""

from __future__ import annotations

#: Pronouns, determiners, prepositions, conjunctions, auxiliaries, question words, interjections, greetings, sentence adverbs.
FUNCTION_WORDS = frozenset(
    """
    i me my mine myself you your yours yourself he him his himself she her hers herself it its itself we us our ours
    ourselves they them their theirs themselves y'all yall one ones someone somebody something anyone anybody anything
    everyone everybody everything nobody nothing none
    the a an this that these those each every either neither both all any some no several many much more most less least
    few fewer enough such same other others another own half whole various certain
    who whom whose which what whatever whichever whoever when whenever where wherever why how however
    of in on at to from by with without within into onto upon over under above below between among through during before
    after since until till against about around across along behind beside besides beyond despite except inside outside
    like unlike near off out past per plus regarding concerning following toward towards underneath versus vs via
    and or but nor so yet for if unless because although though while whereas whether than as once lest
    am is are was were be been being isn't aren't wasn't weren't have has had having haven't hasn't hadn't do does did
    don't doesn't didn't doing done can could will would shall should may might must ought can't cannot couldn't won't
    wouldn't shan't shouldn't mustn't needn't dont doesnt didnt cant wont isnt arent wasnt im ive ill id its thats whats
    i'm i've i'll i'd you're you've you'll you'd he's he'll she's she'll it's it'll we're we've we'll we'd they're they've
    they'll they'd that's that'll there's here's what's who's where's how's when's why's let's lets gonna wanna gotta
    not never ever also too very just only even still already again almost always often sometimes seldom rarely usually
    now then there here today tomorrow yesterday tonight soon later ago anyway anyhow somehow somewhere anywhere
    everywhere nowhere maybe perhaps probably possibly surely indeed instead otherwise therefore thus hence meanwhile
    moreover furthermore nevertheless nonetheless besides additionally alternatively consequently accordingly
    yes no yeah yep yup nope nah ok okay k sure right well oh ah hm hmm uh um huh wow oops ugh ouch hey hi hello hiya yo
    howdy greetings dear welcome thanks thank thx ty cheers please pls plz kindly sorry pardon congrats congratulations
    bye goodbye regards best sincerely yours respectfully cordially good great nice cool fine perfect awesome excellent
    alright agreed exactly correct absolutely definitely certainly basically actually honestly frankly apparently
    obviously clearly hopefully unfortunately fortunately luckily sadly finally eventually initially originally
    previously currently recently lately generally specifically especially particularly mainly mostly mainly roughly
    approximately nearly exactly first second third fourth fifth next last lastly firstly secondly thirdly finally
    two three four five six seven eight nine ten eleven twelve twenty thirty hundred thousand million zero dozen
    nit nits etc eg ie fyi btw imo imho afaik asap tbh tl;dr tldr lgtm wip nb ps re fwd fw cc bcc attn todo fixme note nota
    """.split()
)

#: Verbs that open an instruction. Together with their -s, -ed and -ing forms.
VERBS = frozenset(
    """
    abort accept access account acknowledge act activate adapt add address adjust adopt advise affirm agree aim alert
    align allocate allow alter amend analyse analyze announce annotate answer anonymise anonymize apologise apologize
    append apply appoint approve archive argue arrange ask assemble assert assess assign assist assume attach attempt
    attend audit authenticate authorise authorize automate avoid await backfill backport back balance ban base batch
    bear beat become begin believe benchmark bind blame block book boot borrow bounce brainstorm branch break brief bring
    broadcast browse bucket budget build bulk bump bundle buy bypass cache calculate calibrate call cancel capture care carry cast
    catch categorise categorize cause cc centre change charge chart chat check cherry-pick choose cite clarify classify
    clean cleanup clear click clone close cluster coach code collapse collate collect combine come comment commit communicate
    compare compile complain complete compose compress compute concat concatenate conclude condense conduct configure confirm connect consider
    consolidate construct consult consume contact contain continue contribute control convert convince copy correct
    correlate cost count cover craft crawl create credit crop cross-check cut debug decide declare decline decode decouple decrease deduct
    deduplicate dedupe default defer define delay delegate delete deliver demo demonstrate denormalise deny depend deploy deprecate
    derive describe design destroy detach detect determine develop diagnose dial diff differ digest dig disable discard disconnect discount discover
    discuss dismiss dispatch display distribute dive divide document double doubt download downgrade downscale draft drag draw drill drive
    drop dry-run dry dump duplicate earn ease edit effect elaborate elect eliminate email e-mail embed emit emphasise employ empty
    enable encode encourage encrypt end enforce engage enhance enlarge enqueue enrich enrol enroll ensure enter enumerate erase
    escalate escape establish estimate evaluate examine exceed exclude excuse execute exercise exit expand expect expire explain explore expose
    export express extend extract face facilitate fail fake fall feature feed feel fetch figure file fill filter finalise
    finalize find finish fire fit fix flag flatten flip float flush focus fold follow force forecast forget fork form format formulate forward
    found free freeze fulfil function fund gather generate get give go google grab grade graph grep greet grep group grow guarantee guess guide
    halt hand handle hang happen hardcode harden hash head hear help hide highlight hire hit hold honour hook host hotfix hurry
    identify ignore illustrate imagine implement imply import impose improve include incorporate increase increment
    indent index indicate infer influence inform initialise initialize initiate inject inline input inquire insert inspect install
    instantiate instruct instrument integrate intend interact interpret intersect introduce invalidate invent invert invest
    investigate invite invoice invoke involve isolate issue iterate join journal judge jump justify keep kick kickoff kill knock know label lack
    launch lay lead learn leave lend let level leverage lift limit line link lint list listen live load localise localize locate lock log login logout look
    loop lose love lower mail maintain make manage map mark mask match matter mean measure meet memoise mention merge message migrate mind mine
    minify minimise minimize mirror miss mix mock model modify monitor mount move multiply mute name narrow navigate need negotiate nest normalise normalize
    note notice notify number object observe obtain occur offer omit open operate opt optimise optimize order organise
    organize orient outline output overlap overlay override overwrite overview owe own pack package page paginate paint pair parse parallelise parallelize park participate
    partition pass paste patch pause pay perform permit persist phone pick picture pile pin ping pipe pitch pivot place plan play plot plug
    point poll polish populate port pose position post postpone practise predict prefer prefix prepare prepend present preserve press
    pretend prevent preview price print prioritise prioritize probe proceed process procure produce profile program progress project promise promote prompt
    proofread propagate propose protect prototype prove provide provision prune publish pull purchase purge push put qualify quantify query
    question queue quit quote raise rank rate reach react read realise realize rearrange reassign rebase reboot rebuild
    recalculate recall recap receive recheck recognise recognize recommend reconcile reconfigure reconnect reconsider record recover recreate rectify recycle
    redact redeploy redesign redirect redo reduce refactor refer reference refine reflect reformat refresh refund refuse regard
    regenerate register regret reinstall reindex reject relate relax release reload rely remain remember remind remove rename render renew
    reopen reorder reorganise reorganize repair repeat rephrase replace replay reply repopulate report represent reproduce repro request require rerun re-run rescan reschedule
    research resend reserve reset reshape resize resolve respond rest restart restate restore restrict restructure result resubmit resume
    retain rethink retire retrieve retry return retype reuse revert review revise revisit revoke reword rewrite rid ring rise roll rollback rotate
    round route run sanitise sanitize save say scaffold scale scan schedule scope score scrape scratch screen screenshot scroll search secure see
    seed seek seem segment select sell send separate sequence serialise serialize serve set settle setup shape share shift ship shorten
    show shrink shuffle shut sign silence simplify simulate sit size skim skip slack sleep slice slow smoke snapshot snooze solve sort source
    spawn speak spec specify spell spend spin spike split spot spread squash stabilise stack stage stand standardise standardize
    start state stay steer step stick stop store stream strengthen stress stretch strike strip structure study stub submit subscribe substitute subtract succeed
    suggest sum summarise summarize supply support suppose suppress surface survey suspect suspend swap switch sync synchronise
    synchronize tabulate tackle tag tail take talk target teach tear tell tend tender terminate test text think thread throttle throw tick
    tidy tie time timebox toggle tokenise tokenize touch trace track trade train transcribe transfer transform translate transpose travel treat
    triage trigger trim truncate trust try tune turn tweak type unarchive unassign unblock undo uninstall unify unit-test unlink unlock unmute unpack unpin
    unset unsubscribe untick unwrap unzip update upgrade upload upsert upvote urge use utilise utilize vacuum validate value vary vendor verify version view visit
    visualise visualize void vote wait wake walk want warm warn wash waste watch wear weigh whip whitelist widen win wipe wire wish wonder
    work worry wrap write x-ray yield zip zoom seen gone went came got gotten made said told gave given took taken knew known
    saw sent kept left lost met paid put ran sat sold spent spoke stood thought understood understand wrote written won broke broken
    eat drink fly hate fear fight hunt kiss laugh cry die marry pray sing smile steal suck suffer swear swim vanish admit achieve adore afford
    appreciate arise assure attack attract bake bark bathe bend bet bite blame bless blow boil bore burn burst bury celebrate chill circle clarify coat
    collapse command compete compress confuse congratulate conquer cough crash crush dance dare deal deserve desire despair destroy differ disagree
    disappear dislike distinguish drown echo embrace encounter envy excite exist explode forgive fry gain giggle grind guess hug hurt impress inspire
    insult invade kneel lick manage melt mend mourn murder nod obey offend overcome pant peel persuade pinch possess pour praise preach prick
    punish pursue quarrel reign rejoice relieve repent rescue resemble resist retreat reveal reward rob rub ruin rush scatter scold scream seal seize
    shave shelter shine shoot shiver sigh sink slide slip smell sneeze sniff soak spare spill spoil spray sprinkle squeeze stare starve stir stroke
    struggle surrender surround survive suspect swallow sweep tempt threaten tickle tolerate tremble twist undergo undertake unite vanish wander weep whisper whistle wink
    began begun bought brought built caught chose chosen drove felt found forgot forgotten grew heard held hid hung led meant
    """.split()
)

#: Nouns and adjectives that open sentences, headings, labels, list items and table columns.
NOUNS = frozenset(
    """
    ability absence abstract access accident account accuracy acronym action activity actual addition additional address admin administrator advance advantage advice
    age agency agenda agent agreement aim air alarm alert algorithm alias allergy alternative amount analysis analyst answer anomaly
    apartment api app appendix applicant application appointment approach approval approver architecture archive area argument article artifact aspect assessment asset
    assignee assignment assistant assumption attachment attempt attendance attendee attention attorney audience author authority availability available average aware
    baby backend background backlog backup bad badge bag balance bank bar baseline basic basis battery beginning behaviour behavior belief
    benefit beta big bill billing binary biopsy birthday black blank blocker blood blog blue board body book booking bottom boundary box boy branch brand breakfast breaking
    brief bright broken brother brown browser bucket budget bug builder building bullet business busy button buyer cache calendar callback
    call campaign cancer candidate capacity caption car card carrier cart case cash category caution cause ceiling cell central certificate chain chair
    challenge chance change changelog channel chapter character charge cheap check checkbox checklist checkout chief child children choice church citation
    citizen city claim claimant class classic clause clean clear client clinic clock cloud code coffee cold colleague collection college colour color column command comment
    commission committee common communication community company comparison competition competitor complaint complete complex component
    compliance computer concept concern conclusion condition conference confidential config configuration confirmation conflict connection consequence consent
    consideration constant constraint construction consultant consumer contact container content contents context contract contractor contrast contribution control conversation
    conversion cook cookie coordinator copy copyright core corner corporate correct correction cost could council counsel count country county couple course court coverage
    create creation creator credential credit crew criteria critical cron cross crucial culture currency current cursor custom customer cut cycle daily
    dad damage danger dark dashboard data database dataset date daughter day deadline deal dealer dear death debate debt decision deck declaration deep default
    defect defendant deficit definition degree delay deliverable delivery demand demo department dependency deployment deposit deputy depth description design desk
    desktop detail details dev developer development device diagnosis diagram dialog diet difference different difficult digital dimension dinner direct direction director
    disclaimer discharge discount discovery discussion disk distance distribution doc docs doctor document documentation dog dollar domain door dosage dose double download draft
    driver drug dry due duplicate duration duty early earth east easy economy edge editor education effect effective effort election
    electronic element email emergency emphasis employee employer employment empty end endpoint energy engine engineer engineering entire entity entries
    entry environment epic equal equipment error escalation essay essential estimate evaluation event evidence example exception exchange executive exercise existing exit
    expectation expense experience experiment expert expiry explanation export expression extension external extra eye face facility fact factor failure fair false family faq
    far farm fast father fault fax feature federal fee feedback field figure file film filename final finance financial finding findings fine fire firm first fiscal fish fix fixture flag flat flight
    flow folder followup follow-up food foot footer force foreign form formal format formula forum forward foundation frame framework free frequency fresh friend friends front frontend
    full fun function functional fund funding further future game gap garden gas gate gateway general girl global glossary goal gold government graph graphic green
    grey ground group growth guest guidance guide guideline gun guy guys hair half hall hand handler handoff handover happy hard hardware head header heading headline health heart heat
    heavy height help helper hidden high history hobby hole holiday home honest hook hope horse hospital host hot hotel hotfix hour hours house household huge human husband hypothesis
    ice icon id idea ideal identity illness image images impact implementation import important impossible improvement inbox incident income incoming increase independent index indicator
    individual industry info information infrastructure inner input inquiry insight instance institute institution instruction instructions insurance integer integration intent
    interest interesting interface internal international internet intern interval interview introduction intro inventory investment investor invitation invoice island issue item items iteration
    job joint journal judge judgment junior key keyword kid kids kind kitchen knowledge lab label laboratory labour lack lady lake land landlord language laptop large late latency latest law lawsuit lawyer layer layout lead
    leader leadership learning lease leave lecture left legacy legal lemma length lesson letter level library licence license life lifetime light likely limit limitation line link lint list listing literature little live load loan local location
    lock lockfile log logic login logo logs long loop loss lot low luck lunch machine mail main maintenance maintainer major majority male man management manager mandatory manual manufacturer map margin
    market marketing marriage mass master match material math matter maximum meal meaning measure measurement meat mechanism media medical medication medicine medium
    meeting member membership memo memory men menu merge mess message metadata method methods metric mid middle midnight migration mild military milk mind mine minimum minor minute minutes mirror
    missing mission mistake mobile mock mode model modern module mom moment money monitor month monthly mood morning mother motion motor mountain mouth movie multiple music mutation
    name national natural nature navigation necessary neck negative neighbour network neutral new news newsletter night noise noon normal north notebook notes notice notification novel number numbers nurse
    object objective observation obvious odd offer office officer official offline oil old online open opening operating operation operator opinion opportunity option optional options oral orange order
    organisation organization origin original outage outcome outer outline outlook output outstanding overall overdue overview owner package page pages pain pair paper paragraph parameter parent
    parents park parser part participant parties partner party pass password past paste patch path patient pattern payload payment payroll peak pending people percent percentage perfect performance period
    permanent permission person personal phase phone photo phrase physical pick picture piece pilot pink pipeline pipe place plaintiff plain plan plane plant plastic platform player playlist plenty plot plugin pocket point points policy
    political pool poor popular population port portfolio position positive possible postmortem post-mortem pot potential power practical practice pre precise premise premium prerequisite prescription presence present
    presentation president pressure pretty prev previous price pricing primary principal principle prior priority private prize problem procedure process processing product production professional
    professor profile profit program programme progress project promise prompt proof proper property proposal proposed prospect protection protein protocol prototype provider public publication purchase purple purpose qty quality quantity
    quarter quarterly query question questions queue quick quiet quote radio rain random range rapid rare rate rating ratio raw reaction reader ready real reality reason reasonable reasons receipt recent recipe recipient recommendation
    record recovery red reference referral reflection refund region registration regression regular regulation related relation relationship relative release relevant reliable religion reminder remote renewal rent repair repeat replacement reply repo report reporter
    repository representative repro reproduction reputation request requester requirement requirements research reset resident resolution resource resources respect respondent response responsibility rest restaurant result results retention retro retrospective
    return revenue reverse review reviewer revision rich rights risk risks river road roadmap role rollback rollout room root rough round route routine row rule rules runner runtime runbook safe safety salary sale sales sample samples sanity satisfaction scale
    scenario schedule schema scheme school science scope score screen screenshot script sea search season seat secret secretary section sector security select seller semester seminar senior sense sensitive sentence separate
    sequence serial series serious server service services session setting settings setup severity sex shadow shape share shareholder sheet shift ship shipment shipping shop short shot shout shoulder side sign signal signature
    significant silent similar simple simulation single sister site situation size skill skin slide slides slow small smart smoke snapshot snippet social society soft software solid solution son song sound source south space spare speaker
    special specific specification speech speed spelling split spokesman sponsor sport spreadsheet spring sprint square stable staff stage staging stakeholder stakeholders standard standup stand-up star startup state statement static station statistic statistics status
    statute steady step steps stock stomach stone storage store story straight strange strategy stream street strength stress strict string strong structure student studies study stuff style sub subject submission subscription
    subtotal success successful such sudden sugar suggestion suite sum summary summer super supplier supply support surface surgery surname surprise survey suspect sweet symbol symptom symptoms syntax system systems tab table tag takeaway talk tall target
    task tasks tax teacher team teams tech technical technique technology teenager telephone template temp temporary tenant term terms test tests text theme theory therapy thesis thing things thought thread threat threshold ticket tickets tight time timeline timeout
    timestamp tiny tip title toast today token tool tools top topic total tough tour town track traffic training transaction transcript transcription transfer transition translation transport travel treatment tree trend trial trick trip trouble truck true trust truth
    tutorial type typical typo ugly ui unable unclear underlying uncle union unique unit unknown unread unused update updates upper upcoming urgent url usage useful user username users usual utility vacation valid validation value values variable variant variation variety
    vehicle vendor verdict verification version video view viewpoint village virtual virus visa visible vision visit visitor vital voice volume volunteer vote wage wall war ward warning warnings waste water way weak weakness wealth weather web webhook website wedding week weekend
    weekly weight west wet white wide widget widow width wife wild willing window wine winner winter wise witness woman women wonderful wood word words wording worker workflow workaround working workspace workshop world worse worst worth
    wrong yard year yearly years yellow yes young youth zone
    able afraid alive alone amazing amused ancient angry annual anxious apart ashamed asleep awake aware awful awkward beautiful best better bigger biggest bitter blind bloody bold
    boring bound brave brilliant busy calm capable careful careless casual cautious chronic civil clever clinical close closer closest comfortable complicated confident confused consistent contemporary convenient
    crazy cruel curious cute damp decent deaf deliberate delicate delicious dependent desperate dirty distant dramatic drunk dull dumb eager eastern efficient elderly elegant embarrassed enormous enthusiastic equivalent ethical evil exact excited
    exciting exclusive exhausted exotic expensive explicit extensive extraordinary extreme faint faithful familiar famous fancy fantastic favourite favorite favorable fierce firm flexible foolish fortunate fragile frequent frozen frustrated funny furious gentle genuine
    gigantic glad glorious gorgeous graceful gradual grand grateful greatest gross guilty handsome harmful harmless harsh healthy helpful helpless hilarious hollow horrible hostile humble hungry identical ill immediate immense impatient impressive incredible indirect
    inevitable informal inherent innocent insane intelligent intense intensive interested jealous jolly keen lazy legible lonely longest loud lovely loyal lucky mad magnificent massive mature maximum mean meaningful mental mere messy miserable moderate modest moral mutual mysterious narrow nasty neat nervous
    noisy nuclear numb numerous nuts obedient odd opposite ordinary outrageous painful pale particular passive pathetic patient peaceful persistent pleasant polite poor precious pregnant prime profound progressive prominent proud pure puzzled quaint racial radical random rational raw redundant relaxed reluctant remarkable
    respective responsible ridiculous ripe robust romantic rotten rude rural sad sacred scared scary sensible sexual shallow sharp shiny shy sick silly sincere skinny sleepy slight smooth sole sophisticated sore sour southern northern western spicy spiritual splendid spoiled stiff stolen strategic stressful structural stubborn stupid
    substantial subtle suitable superb superior supreme suspicious symbolic tasty tender terrible thick thin thirsty thorough thoughtful tidy tired tragic tremendous tricky tropical twin ultimate unfair unfortunate unhappy universal unpleasant unusual upset urban useless vague vast verbal vertical horizontal vicious violent vivid vulnerable
    warm wealthy weekly weird wet wicked widespread wooden worried worthy according together simply fully twice ahead extremely immediately throughout literally nearby somewhat aside elsewhere forever anymore meantime thereby whereby nowadays sometime onwards upwards downwards up down away
    addiction adult advert aeroplane afternoon ageing aid airport allergy amateur ambulance amendment ammunition anger angle animal ankle anniversary anxiety appeal appearance appetite apple arm army arrival ash assault atmosphere attitude attraction aunt award balcony ball balloon barrel barrier basket bath bathroom beach bean beard bedroom beer bell belt bench bicycle bike bird birth blade blame blanket blast
    bomb bone border boss bottle bowl brain bread breast breath breeze brick bridge bucket bunch burden bus butter cable cake camera camp candle captain carbon career carpet castle casualty cat cattle ceremony champion charity chart cheek cheese chemical chest chicken chocolate cigarette cinema circumstance climate cloth clothes clothing club clue coach coal coast coat coin combination comfort compensation
    complication composition compromise concert concrete conduct confidence confusion congress connection conscience constitution consumption convention copper corn corruption cottage cotton countryside courage cousin crack craft crash cream creature crime crisis crop crowd crown cup cure curriculum curtain curve dairy deck decade defence defense delegate delight democracy depression desert despair destruction device devil dialogue diamond dictionary dinner
    diploma disaster disc discipline discourse discrimination disease dish disorder display district divorce dose dragon drama drawer dream dress drum duck dust ear earthquake ease egg elbow electricity elevator embassy emotion empire enemy enquiry entertainment enthusiasm episode equity era estate ethics everyday excess excitement execution exhibition exile expansion expedition explosion exposure extent fabric
    fame fan fantasy fare fashion fate fault feather fellow fence ferry festival fever fiction fingers finger flame flash flesh flood floor flour flower fog folk forest fork fortune fox fraction fraud freedom fridge fruit fuel funeral fur furniture galaxy gallery gang garage garlic gender gene generation gesture ghost giant gift glance glass glove goat gossip grain grandfather grandmother grass gravity guilt guitar habit hammer happiness
    harbour harm harvest hat hatred heaven hell heritage hero hint horror hostage housing hunger hunting identification ideology immigration immunity implication impression improvement inch incidence infection inflation ingredient inhabitant inheritance injection injury inspection inspiration instinct institution instrument insult intelligence intensity intervention invasion invention isolation jacket jail jam jaw jeans jet jewellery joke journalist journey joy juice
    jury justice keyboard kingdom knee knife knot lamb lamp lane laser laughter laundry lawn leaf league leather leg legend legislation lens liberty lid lightning lip liquid lobby loyalty lung luxury magazine magic makeup mall marble mathematics maximum mayor meadow mechanic medal melody merchant mercy merit metal midnight mineral ministry minority miracle mirror misery missile mist mixture monarch monkey monopoly monster mortgage mosque mouse
    mud murder muscle museum mystery myth nail navy needle neighbourhood nephew nerve nest newspaper nightmare nose nut oak ocean odds offence orchestra organ outfit oven ownership oxygen pace pain paint palace palm pan panic parade parcel parliament passage passenger passion passport patience pause pavement peace pen pencil penalty penny pension pepper perception personality perspective petrol philosophy phenomenon photograph physics piano pig pill pillow pilot pipe pity pizza
    planet plate pleasure pocket poem poet poetry poison pole police politician politics pollution potato poverty powder prayer predecessor pregnancy preference prejudice prescription preservation prestige priest prince princess prison prisoner privacy privilege probability proceeding propaganda proportion prosecution prospect prosperity province psychology pub pump punishment pupil puzzle queen quest rabbit race racism railway rat ray rebel
    rebellion recession reception recipe recognition referee refugee regime rehearsal relief religion remains remark remedy republic reserve residence resistance restraint retirement revolution reward rhythm rice riot ritual rival robot rocket roof root rope routine rug ruin rumour sail sake salad salt sand sandwich satellite sauce scandal scent scholar scholarship scientist sculpture seal seed senate senator sensation settlement sheep shelf shell shelter shield
    ship shirt shock shoe shore shoulder shower shrine silence silk silver sin skeleton skirt skull sky slave sleeve slogan slope smile smoke snake snow soap soccer soil soldier soul soup spectrum spell sphere spider spine spirit spite spoon spot squad stability stadium stair stake stamp statue steam steel stem stereotype stick stitch storm strain stranger straw strike stroke studio substance suburb suicide suit suitcase sunshine supermarket superstition supper surgeon surplus survival suspicion
    sweater swimming sword sympathy tail talent tank tape taste tea tear telescope television temperature temple temptation tennis tension tent territory terror terrorist theatre thief throat throne thumb tide tiger timber tissue title tobacco toe tomato tongue tooth torch tourism tourist towel tower toy trace tradition tragedy trail transport trap trash treasure treaty tribe tribute triumph troop trousers tube tunnel turkey umbrella uncertainty uniform
    universe university unrest urine valley vegetable veil vein venture venue verse vessel veteran victim victory violation violence virtue vitamin vocabulary volcano voyage waist waiter wallet warrior wave weapon weed welfare whale wheat wheel whisper willpower wing winner wire wisdom wolf wool worm worry worship wound wrist youth zoo
    expected observed blockers changed fixed known unknown added removed deprecated breaking wip done
    """.split()
)
